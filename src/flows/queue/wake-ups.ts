// Wakes who waits in this process for news about a run, so that nobody has to look at the store all the time.

export class WakeUps {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** `act` gets what resolves at the next call about the run; when it is done, nothing of it is kept. */
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

  /** Runs about which somebody waits for news. */
  get size(): number {
    return this.#waiting.size
  }
}
