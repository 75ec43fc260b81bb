// Lets one caller at a time through. A caller that waits too long for the one before it goes on beside it.
import { setTimeout as sleep } from 'node:timers/promises'

export class OneAtATime {
  readonly #patienceMs: number
  #last: Promise<unknown> = Promise.resolve()

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /** In the order of the calls. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    this.#last = over
    try {
      await this.#within(before)
      return await work()
    } finally {
      end()
    }
  }

  async #within(before: Promise<unknown>): Promise<void> {
    const patience = new AbortController()
    const asleep = sleep(this.#patienceMs, undefined, { signal: patience.signal, ref: false })
    await Promise.race([before, asleep.catch(() => {})])
    patience.abort()
  }
}
