// Notices an agent that hangs: no first line, silence, too long in total, still alive after its result.
import type { KillReason } from '../core/run/run.ts'
import type { Clock } from '../core/world.ts'
import type { ProcessLimits } from './runner.ts'

export type Watchdogs = {
  lineSeen(): void
  atStage(stage: 'prepares' | 'works'): void
  resultSeen(): void
  end(): void
}

export type WatchdogOptions = {
  readonly clock: Clock
  readonly limits: Pick<ProcessLimits, 'firstEventMs' | 'silenceMs' | 'totalMs' | 'afterResultMs'>
  /** True while Reprise itself does not read: that does not count as silence of the agent. */
  readonly isHeldUp: () => boolean
  /** True while the agent waits for an answer: that time does not count. */
  readonly isAsking: () => boolean
  /** Called at most once. */
  readonly onBite: (reason: KillReason) => void
}

/** Milliseconds of the run's own time; see `createStopwatch`. */
type Moments = {
  askedMs: number
  lastLineAt: number | null
  isPreparing: boolean
  resultAt: number | null
}

/** The longest sleep. It bounds the error when somebody sets the wall clock. */
const SLICE_MS = 10_000

export function startWatchdogs(watch: WatchdogOptions): Watchdogs {
  const moments: Moments = { askedMs: 0, lastLineAt: null, isPreparing: false, resultAt: null }
  const stopwatch = createStopwatch(watch.clock)
  let isOver = false

  async function guard(): Promise<void> {
    while (!isOver) {
      const now = stopwatch.elapsed()
      if (watch.isHeldUp() || watch.isAsking()) moments.lastLineAt = now
      const next = nextBite(moments, watch.limits)
      if (now >= next.at) return watch.onBite(next.reason)
      await stopwatch.sleep(Math.min(next.at - now, SLICE_MS))
      if (watch.isAsking()) moments.askedMs += stopwatch.elapsed() - now
    }
  }

  void guard()
  return {
    lineSeen: () => {
      const isFirst = moments.lastLineAt === null
      moments.lastLineAt = stopwatch.elapsed()
      if (isFirst) stopwatch.wake()
    },
    atStage: stage => {
      if (moments.isPreparing === (stage === 'prepares')) return
      moments.isPreparing = stage === 'prepares'
      stopwatch.wake()
    },
    resultSeen: () => {
      if (moments.resultAt !== null) return
      moments.resultAt = stopwatch.elapsed()
      stopwatch.wake()
    },
    end: () => {
      isOver = true
      stopwatch.wake()
    },
  }
}

function nextBite(moments: Moments, limits: WatchdogOptions['limits']) {
  const { askedMs, lastLineAt, isPreparing, resultAt } = moments
  const bites: { readonly reason: KillReason; readonly at: number }[] = [
    { reason: 'too-slow', at: limits.totalMs + askedMs },
    lastLineAt === null || isPreparing
      ? { reason: 'no-first-event', at: (lastLineAt ?? 0) + limits.firstEventMs }
      : { reason: 'silent', at: lastLineAt + limits.silenceMs },
  ]
  if (resultAt !== null) {
    bites.push({ reason: 'hung-after-result', at: resultAt + limits.afterResultMs })
  }
  return bites.reduce((first, bite) => (bite.at < first.at ? bite : first))
}

/** Counts the time that was really slept, so that a changed wall clock or a suspended machine ends no agent. */
function createStopwatch(clock: Clock) {
  let sleptMs = 0
  let sleepMs = 0
  let sleepingSince = clock.now()
  let waker = new AbortController()

  const elapsed = () => {
    const inThisSleep = clock.now() - sleepingSince
    return sleptMs + Math.max(0, Math.min(inThisSleep, sleepMs))
  }

  return {
    elapsed,
    wake: () => waker.abort(),
    async sleep(ms: number): Promise<void> {
      waker = new AbortController()
      sleepMs = ms
      sleepingSince = clock.now()
      await clock.sleep(ms, waker.signal)
      sleptMs = waker.signal.aborted ? elapsed() : sleptMs + ms
      sleepMs = 0
    },
  }
}
