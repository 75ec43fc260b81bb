// Tells listeners that something was stored, by whichever process: looks at the store only while somebody listens.

export type NewsOptions = {
  readonly lastPosition: () => Promise<number>
  readonly pollMs: number
}

export class News {
  readonly #lastPosition: () => Promise<number>
  readonly #pollMs: number
  readonly #waiting = new Set<() => void>()
  #position = -1
  #version = 0
  #listeners = 0
  #looking = false

  constructor(options: NewsOptions) {
    this.#lastPosition = options.lastPosition
    this.#pollMs = options.pollMs
  }

  get listeners(): number {
    return this.#listeners
  }

  /** Take it before reading: what is stored while you read makes `changedSince` resolve at once. */
  get version(): number {
    return this.#version
  }

  /** Until the returned function is called, the store is looked at. */
  listen(): () => void {
    this.#listeners++
    // A floating loop by design: it ends with the last listener and handles its own errors.
    if (!this.#looking) void this.#look()
    let listening = true
    return () => {
      if (listening) this.#listeners--
      listening = false
    }
  }

  /** For those in this process who know that there is something new. */
  wake(): void {
    this.#version++
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  /** Resolves when there may be more than at `version`, after `maxMs`, or when the signal aborts. */
  changedSince(version: number, maxMs: number, signal: AbortSignal): Promise<void> {
    if (version !== this.#version || signal.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, maxMs)
      this.#waiting.add(done)
      signal.addEventListener('abort', done)
    })
  }

  async #look(): Promise<void> {
    this.#looking = true
    while (this.#listeners > 0) {
      try {
        const position = await this.#lastPosition()
        if (position !== this.#position) this.wake()
        this.#position = position
      } catch {
        // The store cannot be read right now: listeners hear nothing new until it can.
      }
      await new Promise(resolve => setTimeout(resolve, this.#pollMs))
    }
    this.#looking = false
  }
}
