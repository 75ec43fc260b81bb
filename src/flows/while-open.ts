// What a process that keeps the queue does beside its turns, until it closes: kept turns, late questions, schedules, sessions, checkpoints.
import { removeOldIndexes } from '../checkpoints/private-index.ts'
import type { SessionSettings } from '../core/session-settings.ts'
import { expireQuestions } from './answers.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Parts } from './parts.ts'
import { adoptQueue } from './recover.ts'
import { findUnknownPlaces, pruneCheckpoints } from './remove-checkpoints.ts'
import { runSchedules } from './schedules.ts'
import { runQueued } from './send-turn.ts'
import { sweepSessions } from './sessions.ts'

const LOOK_FOR_LATE_MS = 60_000

/** Resolves when the kept turns are taken; the rest goes on by itself. */
export async function workWhileOpen(
  parts: Parts,
  live: LiveRuns,
  settings: SessionSettings,
): Promise<void> {
  await runKeptQueue(parts, live)
  void expireWhileOpen(parts, live)
  void runSchedules(parts, live)
  void sweepWhileOpen(parts, live, settings)
  void pruneWhileOpen(parts, live, settings)
  removeOldIndexes().catch(() => {
    // They are small, and the next who opens looks again.
  })
}

async function sweepWhileOpen(
  parts: Parts,
  live: LiveRuns,
  settings: SessionSettings,
): Promise<void> {
  while (!live.closing.aborted) {
    await sweepSessions(parts, settings).catch(() => {
      // The store or the disk cannot be written right now: the next sweep does what this one could not.
    })
    await parts.clock.sleep(settings.sweepEveryMs, live.closing)
  }
}

/** A loop of its own: the sweep of sessions does not wait for slow repositories. */
async function pruneWhileOpen(
  parts: Parts,
  live: LiveRuns,
  { sweepEveryMs }: SessionSettings,
): Promise<void> {
  await findUnknownPlaces(parts).catch(() => {
    // The store cannot be read or written right now: the next who opens looks again.
  })
  while (!live.closing.aborted) {
    await pruneCheckpoints(parts).catch(() => {
      // As in the sweep; what git could not remove stays known.
    })
    await parts.clock.sleep(sweepEveryMs, live.closing)
  }
}

/** Questions whose time is over end also when nobody looks at their threads. */
async function expireWhileOpen(parts: Parts, live: LiveRuns): Promise<void> {
  while (!live.closing.aborted) {
    await parts.clock.sleep(LOOK_FOR_LATE_MS, live.closing)
    if (live.closing.aborted) return
    await expireQuestions(parts).catch(() => {
      // The store cannot be written right now: the next look may.
    })
  }
}

async function runKeptQueue(parts: Parts, live: LiveRuns): Promise<void> {
  for (const run of await adoptQueue(parts)) {
    live
      .during(() => runQueued(parts, live, run))
      .catch(() => {
        // Nobody waits for it here: how it ended is in its record.
      })
  }
}
