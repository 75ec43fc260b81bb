// Wakes who waits in this process for news about a run, so that nobody has to look at the store all the time.

export class Calls {
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>()

  waitFor(runId: string): Promise<void> {
    const waiting = this.#waiting.get(runId) ?? Promise.withResolvers<void>()
    this.#waiting.set(runId, waiting)
    return waiting.promise
  }

  call(runId: string): void {
    this.#waiting.get(runId)?.resolve()
    this.#waiting.delete(runId)
  }
}
