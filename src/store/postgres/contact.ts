// Notes when the database was asked and whether it answered, to say since when it has been away.

/** A statement that waits for a lock for a while is no sign of a database that is away. */
const SILENT_MS = 5_000

type Asked = { answered(): void; missed(): void }

export class Contact {
  readonly #open = new Set<{ readonly at: number }>()
  #answeredAt = 0
  #missedSince: number | null = null

  /** Begins to wait for an answer. */
  asks(): Asked {
    const question = { at: Date.now() }
    this.#open.add(question)
    return {
      answered: () => {
        this.#open.delete(question)
        this.#answeredAt = Date.now()
        this.#missedSince = null
      },
      missed: () => {
        this.#open.delete(question)
        this.#missedSince ??= question.at
      },
    }
  }

  /** Milliseconds since 1970; `null` while the database answers. */
  awaySince(): number | null {
    if (this.#missedSince !== null) return this.#missedSince
    const [oldest] = this.#open
    if (oldest === undefined || this.#answeredAt >= oldest.at) return null
    return Date.now() - oldest.at < SILENT_MS ? null : oldest.at
  }
}
