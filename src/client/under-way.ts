// Something a daemon works on, as its caller sees it: events to iterate over, a result to await, a way to end it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventPlace, RunEvent } from '../core/run/run-events.ts'

export type RemoteWork<Submitted, Result> = {
  readonly submitted: Promise<Submitted>
  /** The events of the turn after a place; `null`: from its beginning. */
  readonly follow: (
    ids: Submitted,
    after: EventPlace | null,
    signal: AbortSignal,
  ) => AsyncIterable<RunEvent>
  /** What it came to, when no more events come. `last` is the place of the last one. */
  readonly finish: (ids: Submitted, last: EventPlace | null) => Promise<Result>
  /** Asks the daemon to end what is under way now: the run of the last event that was seen. */
  readonly stop: (ids: Submitted, current: string | null) => Promise<void>
  /** Its abort ends it too. */
  readonly signal: AbortSignal | undefined
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal
}

/** A reader that takes nothing for this long is not waited for. */
const HELD_MS = 1_000

export function underWay<Submitted, Result>(work: RemoteWork<Submitted, Result>) {
  const { submitted, signal } = work
  const reading = new Reading(work)
  const result = submitted.then(async ids => {
    await reading.toItsEnd(ids)
    return work.finish(ids, reading.last)
  })
  // A caller that only iterates, or only awaits, must not crash by the promise that it does not look at.
  submitted.catch(() => {})

  const cancel = async () => {
    const ids = await submitted.catch(() => null)
    if (ids === null) return
    await work.stop(ids, reading.last?.runId ?? null)
    await result.catch(() => {})
  }
  const onAbort = () => {
    // A cancel that fails shows in the result.
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

/** One connection at a time: who iterates reads for the result as well. */
class Reading<Submitted> {
  readonly #work: RemoteWork<Submitted, unknown>
  /** Since when each reader holds the event that it was given; `null`: it waits for the next one. */
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
        // Called off because somebody reads now.
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
    await Promise.race([awake.promise, sleep(HELD_MS, undefined, { ref: false })])
  }
}
