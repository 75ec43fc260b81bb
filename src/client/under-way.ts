// Work of a daemon as an object of the caller: events to iterate over, a result to await, a way to cancel it.
import type { EventPlace, RunEvent } from '../core/run/run-events.ts'
import { pause } from './pause.ts'

export type RemoteWork<Submitted, Result> = {
  readonly submitted: Promise<Submitted>
  /** The events after a place; `null`: from the beginning. */
  readonly follow: (
    ids: Submitted,
    after: EventPlace | null,
    signal: AbortSignal,
  ) => AsyncIterable<RunEvent>
  /** Reads the result when no more events come. `last` is the place of the last event. */
  readonly finish: (ids: Submitted, last: EventPlace | null) => Promise<Result>
  /** Asks the daemon to end the work. `current` is the run of the last event seen. */
  readonly stop: (ids: Submitted, current: string | null) => Promise<void>
  /** Aborting it cancels the work. */
  readonly signal: AbortSignal | undefined
  /** Aborts when the client is closed. */
  readonly closing: AbortSignal
}

/** The result does not wait for a reader that takes nothing for this long. */
const HELD_MS = 1_000

export function underWay<Submitted, Result>(work: RemoteWork<Submitted, Result>) {
  const { submitted, signal } = work
  const reading = new Reading(work)
  const result = submitted.then(async ids => {
    await reading.toItsEnd(ids)
    return work.finish(ids, reading.last)
  })
  // A caller that only iterates must not crash when this promise rejects.
  submitted.catch(() => {})

  const cancel = async () => {
    const ids = await submitted.catch(() => null)
    if (ids === null) return
    await work.stop(ids, reading.last?.runId ?? null)
    await result.catch(() => {})
  }
  const onAbort = () => {
    // The result rejects when the cancel fails.
    cancel().catch(error => reading.fail(error))
  }
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort)
  result.catch(() => {}).finally(() => signal?.removeEventListener('abort', onAbort))

  return {
    submitted,
    result,
    cancel,
    async *[Symbol.asyncIterator]() {
      yield* reading.events(await submitted)
      await result
    },
  }
}

/** Uses one connection at a time: a caller that iterates also reads for the result. */
class Reading<Submitted> {
  readonly #work: RemoteWork<Submitted, unknown>
  /** Since when each reader has held its latest event; `null`: the reader waits for the next one. */
  readonly #readers = new Map<symbol, number | null>()
  #last: EventPlace | null = null
  #isOver = false
  #failed: { readonly error: unknown } | null = null
  #own = new AbortController()
  #wake = () => {}

  constructor(work: RemoteWork<Submitted, unknown>) {
    this.#work = work
  }

  get last(): EventPlace | null {
    return this.#last
  }

  fail(error: unknown): void {
    this.#failed = { error }
    this.#own.abort()
    this.#wake()
  }

  async *events(ids: Submitted): AsyncGenerator<RunEvent, void> {
    const reader = Symbol('reader')
    this.#readers.set(reader, null)
    this.#own.abort()
    try {
      for await (const event of this.#work.follow(ids, null, this.#work.closing)) {
        this.#see(event)
        this.#readers.set(reader, performance.now())
        yield event
        this.#readers.set(reader, null)
      }
      this.#isOver = true
    } catch (error) {
      this.fail(error)
      throw error
    } finally {
      this.#readers.delete(reader)
      this.#wake()
    }
  }

  async toItsEnd(ids: Submitted): Promise<void> {
    while (!this.#isOver) {
      if (this.#failed) throw this.#failed.error
      if (this.#isRead()) {
        await this.#whileRead()
        continue
      }
      this.#own = new AbortController()
      const signal = AbortSignal.any([this.#work.closing, this.#own.signal])
      try {
        for await (const event of this.#work.follow(ids, this.#last, signal)) this.#see(event)
        this.#isOver ||= !this.#own.signal.aborted
      } catch (error) {
        // Aborted because a caller has begun to iterate.
        if (!this.#own.signal.aborted || this.#work.closing.aborted) throw error
      }
    }
  }

  #see({ runId, seq }: RunEvent): void {
    if (seq > 0) this.#last = { runId, seq }
  }

  #isRead(): boolean {
    const now = performance.now()
    return [...this.#readers.values()].some(held => held === null || now - held < HELD_MS)
  }

  async #whileRead(): Promise<void> {
    const awake = Promise.withResolvers<void>()
    this.#wake = awake.resolve
    await Promise.race([awake.promise, pause(HELD_MS, undefined, { ref: false })])
  }
}
