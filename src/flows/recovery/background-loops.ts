// Background work of a process until it closes. Keeping the queue: kept turns, late questions, sessions, the vault. On each host: its disk.
import { removeOldIndexes } from '../../checkpoints/private-index.ts'
import type { SessionSettings } from '../../core/conversation/session-settings.ts'
import type { VaultSettings } from '../../core/conversation/vault-settings.ts'
import type { Dependencies } from '../dependencies.ts'
import { findUnknownPlaces, pruneCheckpoints } from '../jobs/remove-checkpoints.ts'
import { expireQuestions } from '../questions/answers.ts'
import { sweepSessions } from '../sessions/sessions.ts'
import { sweepVaultWhileOpen } from '../sessions/sweep-vault.ts'
import { sweepOutputs } from '../sessions/tier-outputs.ts'
import { runQueued } from '../turn/send-turn.ts'
import { sweepWorkspacesWhileOpen } from '../workspaces/sweep-workspaces.ts'
import { adoptQueue, recover } from './recover.ts'

const LOOK_FOR_LATE_MS = 60_000

/** Resolves when this process has adopted the kept turns; the loops go on in the background. */
export async function startBackgroundLoops(
  dependencies: Dependencies,
  settings: SessionSettings,
  vault: VaultSettings,
): Promise<void> {
  await runKeptQueue(dependencies)
  void expireWhileOpen(dependencies)
  void sweepWhileOpen(dependencies, settings)
  void sweepVaultWhileOpen(dependencies, vault)
  cleanHostWhileOpen(dependencies, settings)
}

/** Cleans the disk of this host: no process of another host can do it. Daemons and workers do. */
export function cleanHostWhileOpen(dependencies: Dependencies, settings: SessionSettings): void {
  void pruneWhileOpen(dependencies, settings)
  void sweepWorkspacesWhileOpen(dependencies)
  void forgetWhileOpen(dependencies, settings)
  removeOldIndexes().catch(() => {
    // Cleanup is best effort; the next start tries again.
  })
}

/** The process that removes a thread clears its own host. This clears what the thread has left on the others. */
async function forgetWhileOpen(
  dependencies: Dependencies,
  { sweepEveryMs }: SessionSettings,
): Promise<void> {
  const { archive, clock, live, store } = dependencies
  while (!live.closing.aborted) {
    await Promise.all([
      sweepOutputs(dependencies),
      archive.sweep(ids => store.removedThreads(ids)),
    ]).catch(() => {
      // The store cannot be read or the disk not written right now; the next sweep tries again.
    })
    await clock.sleep(sweepEveryMs, live.closing)
  }
}

async function sweepWhileOpen(
  dependencies: Dependencies,
  settings: SessionSettings,
): Promise<void> {
  while (!dependencies.live.closing.aborted) {
    await sweepSessions(dependencies, settings).catch(() => {
      // The store or the disk cannot be written right now; the next sweep tries again.
    })
    await dependencies.clock.sleep(settings.sweepEveryMs, dependencies.live.closing)
  }
}

/** Ends runs of other hosts whose lease has expired and runs of this host whose process died, also when nobody follows them. */
export async function recoverWhileOpen(dependencies: Dependencies): Promise<void> {
  const { clock, live, timing } = dependencies
  while (!live.closing.aborted) {
    await clock.sleep(timing.leaseMs, live.closing)
    if (live.closing.aborted) return
    await recover(dependencies).catch(() => {
      // The store cannot be read or written right now; the next look tries again.
    })
  }
}

/** A separate loop, so that the sweep of sessions does not wait for slow repositories. */
async function pruneWhileOpen(
  dependencies: Dependencies,
  { sweepEveryMs }: SessionSettings,
): Promise<void> {
  await findUnknownPlaces(dependencies).catch(() => {
    // The store cannot be read or written right now; the next start tries again.
  })
  while (!dependencies.live.closing.aborted) {
    await pruneCheckpoints(dependencies).catch(() => {
      // As in the sweep. The store still knows the places where git could not remove refs.
    })
    await dependencies.clock.sleep(sweepEveryMs, dependencies.live.closing)
  }
}

/** Expires late questions even if nobody uses their threads. */
async function expireWhileOpen(dependencies: Dependencies): Promise<void> {
  while (!dependencies.live.closing.aborted) {
    await dependencies.clock.sleep(LOOK_FOR_LATE_MS, dependencies.live.closing)
    if (dependencies.live.closing.aborted) return
    await expireQuestions(dependencies).catch(() => {
      // The store cannot be written right now; the next look tries again.
    })
  }
}

async function runKeptQueue(dependencies: Dependencies): Promise<void> {
  for (const run of await adoptQueue(dependencies)) {
    dependencies.live
      .during(() => runQueued(dependencies, run))
      .catch(() => {
        // Nobody waits here for the run; its record says how it ended.
      })
  }
}
