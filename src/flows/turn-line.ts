// Turns of this process that wait for the same thread stand in line: only the first of them has to ask the store again and again.

export type PlaceInLine = {
  /** How many were there before. */
  readonly ahead: number
  /** Resolves when all that were before have left; at once for the first. */
  readonly isNext: Promise<void>
  /** Resolves when something happened to this turn while it waited. */
  readonly called: Promise<void>
  leave(): void
}

export class TurnLine {
  readonly #lines = new Map<string, Set<Promise<void>>>()
  readonly #calls = new Map<string, () => void>()

  join(threadId: string, runId: string): PlaceInLine {
    const line = this.#lines.get(threadId) ?? new Set()
    this.#lines.set(threadId, line)
    const called = Promise.withResolvers<void>()
    this.#calls.set(runId, called.resolve)
    const left = Promise.withResolvers<void>()
    const isNext = [...line].at(-1) ?? Promise.resolve()
    // One that leaves from the middle lets nobody pass who is still behind others.
    const gone = isNext.then(() => left.promise)
    const ahead = line.size
    line.add(gone)
    return {
      ahead,
      isNext,
      called: called.promise,
      leave: () => {
        left.resolve()
        this.#calls.delete(runId)
        line.delete(gone)
        if (line.size === 0) this.#lines.delete(threadId)
      },
    }
  }

  call(runId: string): void {
    this.#calls.get(runId)?.()
  }
}
