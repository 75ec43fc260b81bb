// A daemon may be away for a moment, for a restart: how long its clients wait, how often they knock, and what they say meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { RepriseError } from '../errors.ts'

export type AwayNotice = {
  readonly code: 'daemon-away' | 'daemon-back'
  readonly text: string
}

/** What a client waits for while the daemon is away. */
export type WaitedFor = {
  /** With its ids: `run_1 of thr_1`. */
  readonly what: string
  /** The command that goes on from there. */
  readonly goOn: string
  readonly tell: (notice: AwayNotice) => void
  /** How long it waits; a minute when nothing is said. */
  readonly awayMs?: number
}

const AWAY_MS = 60_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000

export class Patience {
  readonly #awaited: WaitedFor
  #since: number | null = null
  #pauseMs = FIRST_PAUSE_MS
  #isTold = false

  constructor(awaited: WaitedFor) {
    this.#awaited = awaited
  }

  /** It answered: the next time it is away, the waiting begins anew. */
  reset(): void {
    const { what, tell } = this.#awaited
    if (this.#isTold) tell({ code: 'daemon-back', text: `the daemon is back: on with ${what}` })
    this.#isTold = false
    this.#since = null
    this.#pauseMs = FIRST_PAUSE_MS
  }

  /** Waits before the next try; throws when the daemon has been away for too long, or is not away at all. */
  async wait(error: unknown, signal?: AbortSignal): Promise<void> {
    this.#since ??= performance.now()
    const { awayMs = AWAY_MS } = this.#awaited
    if (error !== null) {
      if (!isLostConnection(error) || signal?.aborted) throw error
      this.#say(awayMs)
      if (performance.now() - this.#since > awayMs) throw this.#tooLong(awayMs, error)
    }
    await sleep(this.#pauseMs, undefined, signal ? { signal } : {})
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }

  #say(awayMs: number): void {
    if (this.#isTold) return
    this.#isTold = true
    const { what, tell } = this.#awaited
    const text = `the daemon is away: waiting up to ${seconds(awayMs)} for it, for ${what}`
    tell({ code: 'daemon-away', text })
  }

  #tooLong(awayMs: number, cause: unknown): RepriseError {
    const { what, goOn } = this.#awaited
    return new RepriseError(
      'daemon-unreachable',
      `the daemon has been away for ${seconds(awayMs)}: nobody waits any longer for ${what}`,
      `Start it with \`reprise serve\`, then go on: \`${goOn}\`.`,
      cause,
    )
  }
}

/** For requests that may be sent twice without being done twice. */
export async function whileAway<T>(
  request: () => Promise<T>,
  signal: AbortSignal,
  awaited: WaitedFor,
): Promise<T> {
  const patience = new Patience(awaited)
  for (;;) {
    try {
      const answer = await request()
      patience.reset()
      return answer
    } catch (error) {
      await patience.wait(error, signal)
    }
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}

/** A stream that breaks in the middle is told by the runtime's own error. */
function isLostConnection(error: unknown): boolean {
  if (error instanceof RepriseError) return error.code === 'daemon-unreachable'
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
}
