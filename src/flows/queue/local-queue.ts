// Queues the turns of this process that wait for the same thread, so that only the first of them polls the store.

export type QueuePlace = {
  /** How many turns were in the line before. */
  readonly ahead: number
  /** The run at the head of the line; `null` for the first. */
  readonly behind: string | null
  /** Resolves when all turns before this one have left; at once for the first. */
  readonly isNext: Promise<void>
  /** Resolves when `wake` is called for this turn. */
  readonly woken: Promise<void>
  leave(): void
}

export class LocalQueue {
  /** Thread → runs in its line, each with a promise that resolves when it and all before it have left. */
  readonly #lines = new Map<string, Map<string, Promise<void>>>()
  readonly #wakers = new Map<string, () => void>()

  join(threadId: string, runId: string): QueuePlace {
    const line = this.#lines.get(threadId) ?? new Map<string, Promise<void>>()
    this.#lines.set(threadId, line)
    const waker = Promise.withResolvers<void>()
    this.#wakers.set(runId, waker.resolve)
    const left = Promise.withResolvers<void>()
    const isNext = [...line.values()].at(-1) ?? Promise.resolve()
    // When a turn leaves from the middle, those behind it still wait for those before it.
    const gone = isNext.then(() => left.promise)
    const ahead = line.size
    const [behind = null] = line.keys()
    line.set(runId, gone)
    return {
      ahead,
      behind,
      isNext,
      woken: waker.promise,
      leave: () => {
        left.resolve()
        this.#wakers.delete(runId)
        line.delete(runId)
        if (line.size === 0) this.#lines.delete(threadId)
      },
    }
  }

  wake(runId: string): void {
    this.#wakers.get(runId)?.()
  }
}
