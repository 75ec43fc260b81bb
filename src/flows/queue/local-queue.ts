// Turns of this process that wait for the same thread stand in line: only the first of them has to ask the store again and again.

export type QueuePlace = {
  /** How many were there before. */
  readonly ahead: number
  /** The run at the head of the line; `null` for the first. */
  readonly behind: string | null
  /** Resolves when all that were before have left; at once for the first. */
  readonly isNext: Promise<void>
  /** Resolves when something happened to this turn while it waited. */
  readonly woken: Promise<void>
  leave(): void
}

export class LocalQueue {
  /** Thread → those who stand in its line, each with what resolves when it and all before it have left. */
  readonly #lines = new Map<string, Map<string, Promise<void>>>()
  readonly #calls = new Map<string, () => void>()

  join(threadId: string, runId: string): QueuePlace {
    const line = this.#lines.get(threadId) ?? new Map<string, Promise<void>>()
    this.#lines.set(threadId, line)
    const called = Promise.withResolvers<void>()
    this.#calls.set(runId, called.resolve)
    const left = Promise.withResolvers<void>()
    const isNext = [...line.values()].at(-1) ?? Promise.resolve()
    // One that leaves from the middle lets nobody pass who is still behind others.
    const gone = isNext.then(() => left.promise)
    const ahead = line.size
    const [behind = null] = line.keys()
    line.set(runId, gone)
    return {
      ahead,
      behind,
      isNext,
      woken: called.promise,
      leave: () => {
        left.resolve()
        this.#calls.delete(runId)
        line.delete(runId)
        if (line.size === 0) this.#lines.delete(threadId)
      },
    }
  }

  wake(runId: string): void {
    this.#calls.get(runId)?.()
  }
}
