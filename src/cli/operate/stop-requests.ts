// How a process that runs until it is stopped hears of it: by a signal, or by a request over HTTP.
import type { Io } from '../start/io.ts'

/** When a parent passes Ctrl-C on, it arrives twice. Two signals within this time count as one request. */
const SAME_REQUEST_MS = 300

export type StopRequests = {
  /** Resolves with the time that running turns may have; `null`: as the flags or the config say. */
  readonly asked: Promise<number | null>
  /** For a request over HTTP. */
  ask(drainMs: number): void
  end(): void
}

/** The first request stops gracefully. A signal after it exits at once, and the next start recovers. */
export function stopRequests(io: Io): StopRequests {
  const asked = Promise.withResolvers<number | null>()
  let askedAt: number | null = null
  const end = io.onStopRequest(() => {
    const now = performance.now()
    if (askedAt !== null) {
      if (now - askedAt > SAME_REQUEST_MS) io.exitNow(5)
      return
    }
    askedAt = now
    asked.resolve(null)
  })
  const ask = (drainMs: number) => {
    askedAt ??= performance.now()
    asked.resolve(drainMs)
  }
  return { asked: asked.promise, ask, end }
}

export function stoppingWords(drainMs: number): string {
  const meanwhile = drainMs > 0 ? `; runs may go on for ${drainMs / 1_000} s` : ''
  return `stopping${meanwhile}; once more to leave at once`
}
