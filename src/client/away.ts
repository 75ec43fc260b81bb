// A daemon may be away for a moment, for a restart: how long its clients wait, and how often they knock.
import { setTimeout as sleep } from 'node:timers/promises'
import { RepriseError } from '../errors.ts'
import { monotonicMs } from '../monotonic.ts'

const AWAY_MS = 60_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000

export class Patience {
  #since: number | null = null
  #pauseMs = FIRST_PAUSE_MS

  /** It answered: the next time it is away, the waiting begins anew. */
  reset(): void {
    this.#since = null
    this.#pauseMs = FIRST_PAUSE_MS
  }

  /** Waits before the next try; throws the error when it has been away for too long, or is not away at all. */
  async wait(error: unknown, signal?: AbortSignal): Promise<void> {
    this.#since ??= monotonicMs()
    const isOver = monotonicMs() - this.#since > AWAY_MS
    if (error !== null && (!isLostConnection(error) || isOver || signal?.aborted)) throw error
    await sleep(this.#pauseMs, undefined, signal ? { signal } : {})
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** For requests that may be sent twice without being done twice. */
export async function whileAway<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const patience = new Patience()
  for (;;) {
    try {
      return await request()
    } catch (error) {
      await patience.wait(error, signal)
    }
  }
}

/** A stream that breaks in the middle is told by the runtime's own error. */
function isLostConnection(error: unknown): boolean {
  if (error instanceof RepriseError) return error.code === 'daemon-unreachable'
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
}
