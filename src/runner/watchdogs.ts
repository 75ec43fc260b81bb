// Notices an agent that hangs: no first line, silence, too long in all, still alive after its result.
import type { KillReason } from '../core/run.ts'
import type { Clock } from '../core/world.ts'
import type { Limits } from './runner.ts'

export type Watchdogs = {
  lineSeen(): void
  resultSeen(): void
  end(): void
}

export type Watch = {
  readonly clock: Clock
  readonly limits: Pick<Limits, 'firstEventMs' | 'silenceMs' | 'totalMs' | 'afterResultMs'>
  /** True while it is us who do not read: that is no silence of the agent. */
  readonly isHeldUp: () => boolean
  /** Called at most once. */
  readonly onBite: (reason: KillReason) => void
}

type Moments = {
  startedAt: number
  lastLineAt: number | null
  resultAt: number | null
}

/** A sleep that took this much more or less than asked for: the wall clock was set, or the machine slept. */
const CLOCK_JUMP_MS = 5_000
const LONGEST_SLEEP_MS = 24 * 60 * 60_000

export function startWatchdogs(watch: Watch): Watchdogs {
  const { clock, limits } = watch
  const moments: Moments = { startedAt: clock.now(), lastLineAt: null, resultAt: null }
  const over = new AbortController()
  let wake = new AbortController()

  async function guard(): Promise<void> {
    while (!over.signal.aborted) {
      if (watch.isHeldUp()) moments.lastLineAt = clock.now()
      const next = nextBite(moments, limits)
      const before = clock.now()
      if (before >= next.at) return watch.onBite(next.reason)
      const sleepMs = Math.min(next.at - before, LONGEST_SLEEP_MS)
      await clock.sleep(sleepMs, wake.signal)
      if (!wake.signal.aborted) shift(moments, clock.now() - before - sleepMs, clock.now())
      else wake = new AbortController()
    }
  }

  function wakeUp(): void {
    wake.abort()
  }

  void guard()
  return {
    lineSeen: () => {
      const isFirst = moments.lastLineAt === null
      moments.lastLineAt = clock.now()
      if (isFirst) wakeUp()
    },
    resultSeen: () => {
      if (moments.resultAt !== null) return
      moments.resultAt = clock.now()
      wakeUp()
    },
    end: () => {
      over.abort()
      wakeUp()
    },
  }
}

function nextBite(moments: Moments, limits: Watch['limits']) {
  const { startedAt, lastLineAt, resultAt } = moments
  const bites: { readonly reason: KillReason; readonly at: number }[] = [
    { reason: 'too-slow', at: startedAt + limits.totalMs },
  ]
  if (lastLineAt === null)
    bites.push({ reason: 'no-first-event', at: startedAt + limits.firstEventMs })
  else bites.push({ reason: 'silent', at: lastLineAt + limits.silenceMs })
  if (resultAt !== null)
    bites.push({ reason: 'hung-after-result', at: resultAt + limits.afterResultMs })
  return bites.reduce((first, bite) => (bite.at < first.at ? bite : first))
}

/** Only time that was really slept counts: all moments move with a wall clock that jumped. */
function shift(moments: Moments, jumpMs: number, now: number): void {
  if (Math.abs(jumpMs) < CLOCK_JUMP_MS) return
  moments.startedAt = Math.min(moments.startedAt + jumpMs, now)
  if (moments.lastLineAt !== null) moments.lastLineAt = Math.min(moments.lastLineAt + jumpMs, now)
  if (moments.resultAt !== null) moments.resultAt = Math.min(moments.resultAt + jumpMs, now)
}
