// What a process that keeps the queue does beside its turns, until it closes: kept turns, late questions, sessions, checkpoints.
import { removeOldIndexes } from '../../checkpoints/private-index.ts'
import type { SessionSettings } from '../../core/conversation/session-settings.ts'
import type { Dependencies } from '../dependencies.ts'
import { findUnknownPlaces, pruneCheckpoints } from '../jobs/remove-checkpoints.ts'
import { expireQuestions } from '../questions/answers.ts'
import { sweepSessions } from '../sessions/sessions.ts'
import { runQueued } from '../turn/send-turn.ts'
import { adoptQueue } from './recover.ts'

const LOOK_FOR_LATE_MS = 60_000

/** Resolves when the kept turns are taken; the rest goes on by itself. */
export async function startBackgroundLoops(
  dependencies: Dependencies,
  settings: SessionSettings,
): Promise<void> {
  await runKeptQueue(dependencies)
  void expireWhileOpen(dependencies)
  void sweepWhileOpen(dependencies, settings)
  void pruneWhileOpen(dependencies, settings)
  removeOldIndexes().catch(() => {
    // They are small, and the next who opens looks again.
  })
}

async function sweepWhileOpen(
  dependencies: Dependencies,
  settings: SessionSettings,
): Promise<void> {
  while (!dependencies.live.closing.aborted) {
    await sweepSessions(dependencies, settings).catch(() => {
      // The store or the disk cannot be written right now: the next sweep does what this one could not.
    })
    await dependencies.clock.sleep(settings.sweepEveryMs, dependencies.live.closing)
  }
}

/** A loop of its own: the sweep of sessions does not wait for slow repositories. */
async function pruneWhileOpen(
  dependencies: Dependencies,
  { sweepEveryMs }: SessionSettings,
): Promise<void> {
  await findUnknownPlaces(dependencies).catch(() => {
    // The store cannot be read or written right now: the next who opens looks again.
  })
  while (!dependencies.live.closing.aborted) {
    await pruneCheckpoints(dependencies).catch(() => {
      // As in the sweep; what git could not remove stays known.
    })
    await dependencies.clock.sleep(sweepEveryMs, dependencies.live.closing)
  }
}

/** Questions whose time is over end also when nobody looks at their threads. */
async function expireWhileOpen(dependencies: Dependencies): Promise<void> {
  while (!dependencies.live.closing.aborted) {
    await dependencies.clock.sleep(LOOK_FOR_LATE_MS, dependencies.live.closing)
    if (dependencies.live.closing.aborted) return
    await expireQuestions(dependencies).catch(() => {
      // The store cannot be written right now: the next look may.
    })
  }
}

async function runKeptQueue(dependencies: Dependencies): Promise<void> {
  for (const run of await adoptQueue(dependencies)) {
    dependencies.live
      .during(() => runQueued(dependencies, run))
      .catch(() => {
        // Nobody waits for it here: how it ended is in its record.
      })
  }
}
