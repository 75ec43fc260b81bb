// A store whose holder can die: from then on no call of it comes back, as for a process that was killed.
import { RepriseError } from '../../../src/errors.ts'
import type { StoreWithWork } from '../../../src/store/contract/store.ts'

export type Fate = {
  /** Dies at the n-th call from now on: before it takes effect, or after. */
  dieAt(call: number, effect: 'before' | 'after'): void
  /** The n-th call from now on fails, and so many after it. */
  failAt(call: number, times: number): void
  /** Lets every call from now on wait until it wakes. */
  fallAsleep(): void
  wake(): void
  readonly died: Promise<void>
}

const NEVER = new Promise<never>(() => {})

/** Closing it leaves the store open for the next holder. */
export function mortal(store: StoreWithWork): {
  readonly store: StoreWithWork
  readonly fate: Fate
} {
  const death = Promise.withResolvers<void>()
  let callsLeft = Number.POSITIVE_INFINITY
  let effect: 'before' | 'after' = 'before'
  let failures = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  let calls = 0
  let asleep: PromiseWithResolvers<void> | null = null

  const call = async (act: () => Promise<unknown>): Promise<unknown> => {
    if (asleep) await asleep.promise
    calls += 1
    if (calls > failures.from && calls <= failures.to)
      throw new RepriseError('store-unusable', 'the disk failed', 'Try again.')
    callsLeft -= 1
    if (callsLeft >= 0) return act()
    if (callsLeft === -1) {
      if (effect === 'after') await act().catch(() => {})
      death.resolve()
    }
    return NEVER
  }
  const proxy = new Proxy(store, {
    get: (target, name: keyof StoreWithWork) => {
      if (name === 'close') return async () => {}
      const verb: unknown = target[name]
      // `await` asks the store whether it has a `then`.
      if (typeof verb !== 'function') return verb
      return (...args: unknown[]) => call(async () => verb(...args))
    },
  })
  return {
    store: proxy,
    fate: {
      dieAt(count, when) {
        callsLeft = count
        effect = when
      },
      failAt(call, times) {
        failures = { from: calls + call, to: calls + call + times }
      },
      fallAsleep() {
        asleep = Promise.withResolvers()
      },
      wake() {
        asleep?.resolve()
        asleep = null
      },
      died: death.promise,
    },
  }
}
