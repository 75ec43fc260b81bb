// Hears what any process notifies on a channel of the database. It holds one connection, and only while somebody listens.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'

const PAUSE_MS = { first: 100, most: 5_000 } as const

/** Gets what was said; `null`: something may have been missed. */
type Hears = (said: string | null) => void

export class Listener {
  readonly #connect: () => Client
  readonly #channel: string
  readonly #listeners = new Set<Hears>()
  #isOn = false
  #isClosed = false
  #hangUp: (() => void) | null = null

  /** `connect` gives a client that is not connected yet. */
  constructor(connect: () => Client, channel: string) {
    this.#connect = connect
    this.#channel = channel
  }

  /** Calls the listener after commits of any process, and after every new connection: something may have been missed. */
  listen(listener: Hears): () => void {
    // The same function may listen twice.
    const own: Hears = said => listener(said)
    this.#listeners.add(own)
    // A floating loop by design: it ends with the last listener and handles its own errors.
    if (!this.#isOn && !this.#isClosed) void this.#stayConnected()
    return () => {
      this.#listeners.delete(own)
      if (this.#listeners.size === 0) this.#hangUp?.()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#listeners.clear()
    this.#hangUp?.()
  }

  async #stayConnected(): Promise<void> {
    this.#isOn = true
    let pauseMs: number = PAUSE_MS.first
    while (this.#listeners.size > 0) {
      if (await this.#connectOnce()) pauseMs = PAUSE_MS.first
      // Those who listen look by themselves as well, so a database that is away needs no words here.
      if (this.#listeners.size > 0) await sleep(pauseMs, undefined, { ref: false })
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)
    }
    this.#isOn = false
  }

  /** Lasts as long as the connection. False when there was none. */
  async #connectOnce(): Promise<boolean> {
    const client = this.#connect()
    const over = Promise.withResolvers<void>()
    this.#hangUp = over.resolve
    client.on('error', () => over.resolve())
    client.on('end', () => over.resolve())
    client.on('notification', ({ payload = '' }) => this.#tell(payload))
    try {
      await client.connect()
      // The types of pg do not know it.
      if ('unref' in client && typeof client.unref === 'function') client.unref()
      await client.query(`listen ${this.#channel}`)
      this.#tell(null)
      await over.promise
      return true
    } catch {
      return false
    } finally {
      this.#hangUp = null
      await client.end().catch(() => {})
    }
  }

  #tell(said: string | null): void {
    for (const listener of this.#listeners) listener(said)
  }
}
