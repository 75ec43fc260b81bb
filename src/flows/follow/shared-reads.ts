// Many listeners at one place of a log read it once: whoever asks while a read is under way gets that one.

export class SharedReads {
  readonly #underway = new Map<string, Promise<unknown>>()

  /** `key` must say everything that the result depends on, and since when it has to be true. */
  read<Result>(key: string, load: () => Promise<Result>): Promise<Result> {
    // Under one key there is only ever one kind of result.
    const found = this.#underway.get(key) as Promise<Result> | undefined
    if (found) return found
    const reading = load().finally(() => this.#underway.delete(key))
    this.#underway.set(key, reading)
    return reading
  }
}
