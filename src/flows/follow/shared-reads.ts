// Shares reads between listeners at the same position of a log: a caller gets the read that is already under way.

export class SharedReads {
  readonly #underway = new Map<string, Promise<unknown>>()

  /** `key` must name everything that the result depends on, including how fresh it has to be. */
  read<Result>(key: string, load: () => Promise<Result>): Promise<Result> {
    // All reads under one key have the same type of result.
    const found = this.#underway.get(key) as Promise<Result> | undefined
    if (found) return found
    const reading = load().finally(() => this.#underway.delete(key))
    this.#underway.set(key, reading)
    return reading
  }
}
