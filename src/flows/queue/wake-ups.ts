// Wakes code of this process that waits for news about a run, so that it need not poll the store.

export class WakeUps {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** `act` receives a promise that resolves at the next wake-up for this run. */
  async waitDuring<T>(runId: string, act: (called: Promise<void>) => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const all = this.#waiting.get(runId) ?? new Set()
    this.#waiting.set(runId, all.add(resolve))
    try {
      return await act(promise)
    } finally {
      all.delete(resolve)
      if (all.size === 0) this.#waiting.delete(runId)
    }
  }

  wake(runId: string): void {
    for (const wake of this.#waiting.get(runId) ?? []) wake()
  }

  /** How many runs somebody waits for. */
  get size(): number {
    return this.#waiting.size
  }
}
