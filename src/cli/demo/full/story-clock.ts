// The clock of the full demo: its past takes no time, then it joins real time.
import type { Clock } from '../../../core/world.ts'
import { systemClock } from '../../../runner/real-world.ts'

export type StoryClock = Clock & {
  /** Moves forward to a time of the story; it never moves back, nor past the present. */
  moveTo(at: number): void
  /** From now on it is a real clock. */
  joinRealTime(): void
  /** The clock of the agents: in the story, their sleeps are what takes time. */
  readonly ofAgents: Clock
}

/** How long a wait of Reprise takes in the story. The real work of a turn takes about as long. */
const STEP_MS = 20
/** Waits for what comes much later, such as a sweep: they last until real time. */
const LONG_MS = 60_000

export function createStoryClock(startsAt: number): StoryClock {
  let told: number | null = startsAt
  const joined = Promise.withResolvers<void>()
  const now = () => told ?? Date.now()
  const moveTo = (at: number) => {
    if (told !== null) told = Math.max(told, Math.min(at, Date.now()))
  }
  return {
    now,
    moveTo,
    joinRealTime() {
      told = null
      joined.resolve()
    },
    sleep(ms, signal) {
      if (told === null) return systemClock.sleep(ms, signal)
      if (ms < LONG_MS) return systemClock.sleep(Math.min(ms, STEP_MS), signal)
      return Promise.race([joined.promise, aborted(signal)])
    },
    ofAgents: {
      now,
      async sleep(ms, signal) {
        if (told === null) return systemClock.sleep(ms, signal)
        // Reprise reads what the agent has printed before it gets later.
        await systemClock.sleep(1)
        moveTo(now() + ms)
      },
    },
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
