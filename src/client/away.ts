// What a client does while the daemon is away, for example during a restart: how long it waits, how often it tries, what it says.
import { RepriseError } from '../errors.ts'
import { pause } from './pause.ts'

export type AwayNotice = {
  readonly code: 'daemon-away' | 'daemon-back'
  readonly text: string
}

/** What a client waits for while the daemon is away. */
export type WaitedFor = {
  /** Names the work by its ids: `run_1 of thr_1`. */
  readonly what: string
  /** The command with which the user continues. */
  readonly goOn: string
  /** Called when the daemon is away, and when it is back. */
  readonly onAway: (notice: AwayNotice) => void
  /** How long the client waits; default: a minute. */
  readonly awayMs?: number
}

const AWAY_MS = 60_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000

export class Patience {
  readonly #awaited: WaitedFor
  #since: number | null = null
  #pauseMs = FIRST_PAUSE_MS
  #isAnnounced = false

  constructor(awaited: WaitedFor) {
    this.#awaited = awaited
  }

  /** Call it when the daemon has answered: the next wait then begins anew. */
  reset(): void {
    const { what, onAway } = this.#awaited
    if (this.#isAnnounced)
      onAway({ code: 'daemon-back', text: `the daemon is back: on with ${what}` })
    this.#isAnnounced = false
    this.#since = null
    this.#pauseMs = FIRST_PAUSE_MS
  }

  /** Waits before the next try. Throws when the daemon has been away for too long, or when the error has another cause. */
  async wait(error: unknown, signal?: AbortSignal): Promise<void> {
    this.#since ??= performance.now()
    const { awayMs = AWAY_MS } = this.#awaited
    if (error !== null) {
      if (!isLostConnection(error) || signal?.aborted) throw error
      this.#say(awayMs)
      if (performance.now() - this.#since > awayMs) throw this.#tooLong(awayMs, error)
    }
    await pause(this.#pauseMs, signal)
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }

  #say(awayMs: number): void {
    if (this.#isAnnounced) return
    this.#isAnnounced = true
    const { what, onAway } = this.#awaited
    const text = `the daemon is away: waiting up to ${seconds(awayMs)} for it, for ${what}`
    onAway({ code: 'daemon-away', text })
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

/** Repeats a request until the daemon is back. The request must be idempotent. */
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

/** When a stream breaks in the middle, Node throws ECONNRESET. */
function isLostConnection(error: unknown): boolean {
  if (error instanceof RepriseError) return error.code === 'daemon-unreachable'
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
}
