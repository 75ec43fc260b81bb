// Takes lines and counted bytes from a stream, and holds no more of it than one line or one chunk.
import { tooLarge } from './head.ts'

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #maxBytes: number
  #held: Buffer = Buffer.alloc(0)
  #read = 0

  constructor(source: AsyncIterable<Uint8Array>, maxBytes: number) {
    this.#source = source[Symbol.asyncIterator]()
    this.#maxBytes = maxBytes
  }

  /** Without its end; `null` when the stream ends before the line does, when the line is longer, or is not UTF-8. */
  async line(maxBytes: number): Promise<string | null> {
    const parts: Buffer[] = []
    let length = 0
    while (await this.hasMore()) {
      const end = this.#held.indexOf(10)
      const part = end < 0 ? this.#held : this.#held.subarray(0, end)
      length += part.length
      if (length > maxBytes) return null
      parts.push(part)
      this.#held = this.#held.subarray(end < 0 ? this.#held.length : end + 1)
      if (end >= 0) return textOf(Buffer.concat(parts))
    }
    return null
  }

  /** At least one byte and at most so many; `null` at the end of the stream. */
  async take(maxBytes: number): Promise<Uint8Array | null> {
    if (!(await this.hasMore())) return null
    const taken = this.#held.subarray(0, maxBytes)
    this.#held = this.#held.subarray(taken.length)
    return taken
  }

  async hasMore(): Promise<boolean> {
    while (this.#held.length === 0) {
      const { done, value } = await this.#source.next()
      if (done) return false
      this.#held = Buffer.from(value)
      this.#read += value.length
      if (this.#read > this.#maxBytes) throw tooLarge(`it has more than ${this.#maxBytes} bytes`)
    }
    return true
  }

  /** Ends the stream, also in the middle. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
