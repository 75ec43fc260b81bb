// A turn under way, as the caller sees it: events to iterate over, a result to await.
import type { TurnEvent } from '../../api.ts'

/** Without a reader, no more than this is kept; a reader that comes later misses the oldest. */
const MAX_UNREAD = 10_000

export type TurnControl<Submitted = { runId: string; messageId: string }> = {
  readonly emit: (event: TurnEvent) => void
  readonly submitted: (ids: Submitted) => void
  /** Aborted by `turn.cancel()` and by the caller's own signal. */
  readonly signal: AbortSignal
}

/** What `Turn` and `ChainRun` have in common. */
export type UnderWay<Submitted, Result> = AsyncIterable<TurnEvent> & {
  readonly submitted: Promise<Submitted>
  readonly result: Promise<Result>
  cancel(): Promise<void>
}

export function startUnderWay<Submitted, Result>(
  run: (control: TurnControl<Submitted>) => Promise<Result>,
  callerSignal?: AbortSignal,
): UnderWay<Submitted, Result> {
  const events = new Channel<TurnEvent>(MAX_UNREAD)
  const cancelled = new AbortController()
  const signal = callerSignal ? AbortSignal.any([callerSignal, cancelled.signal]) : cancelled.signal
  const submitted = Promise.withResolvers<Submitted>()
  const result = run({
    emit: event => events.push(event),
    submitted: submitted.resolve,
    signal,
  })
  result.then(
    () => events.end(null),
    error => {
      submitted.reject(error)
      events.end(error)
    },
  )
  // Whoever only iterates, or only awaits, must not crash by the promise nobody looked at.
  result.catch(() => {})
  submitted.promise.catch(() => {})
  return {
    submitted: submitted.promise,
    result,
    async cancel() {
      cancelled.abort()
      await result.catch(() => {})
    },
    [Symbol.asyncIterator]: () => events.read(),
  }
}

class Channel<T> {
  readonly #max: number
  #items: T[] = []
  #ended: { error: unknown } | null = null
  #wake: (() => void) | null = null

  constructor(max: number) {
    this.#max = max
  }

  push(item: T): void {
    this.#items.push(item)
    if (this.#items.length > this.#max) this.#items.splice(0, this.#max / 10)
    this.#wake?.()
  }

  end(error: unknown): void {
    this.#ended = { error }
    this.#wake?.()
  }

  async *read(): AsyncGenerator<T, void> {
    for (;;) {
      const batch = this.#items
      this.#items = []
      yield* batch
      if (this.#items.length > 0) continue
      if (this.#ended) {
        if (this.#ended.error) throw this.#ended.error
        return
      }
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
      this.#wake = null
    }
  }
}
