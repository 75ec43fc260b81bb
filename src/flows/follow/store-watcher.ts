// Notifies listeners that any process has stored something. It looks at the store only while somebody listens:
// at once after a write of this process, and regularly because other processes may have written.
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventVerbs } from '../../store/contract/events.ts'

export type StoreWatcherOptions = {
  readonly store: Pick<EventVerbs, 'lastPosition' | 'changedRuns' | 'lastChange'>
  /** Calls the listener after this process has stored events; gives the function that removes it. */
  readonly onWrite: (listener: () => void) => () => void
  /** How often to look for events that other processes stored. */
  readonly pollMs: number
}

/** The shortest pause between two looks, however much is written. */
const MIN_PAUSE_MS = 5

/** One listener. */
export type Subscription = {
  /** Read it before you read events: if something is stored meanwhile, `changedSince` resolves at once. */
  readonly version: number
  /** Resolves when there may be more than at `version`, after `maxMs`, or when the signal aborts. */
  changedSince(version: number, maxMs: number, signal: AbortSignal): Promise<void>
  close(): void
}

export class StoreWatcher {
  readonly #store: StoreWatcherOptions['store']
  readonly #onWrite: StoreWatcherOptions['onWrite']
  readonly #pollMs: number
  readonly #subscriptions = new Set<OpenSubscription>()
  /** The last position seen in the store; `null` before the first look. */
  #position: number | null = null
  /** The last change seen in the store. */
  #change = 0
  #version = 0
  #looking = false
  /** Something was written since the last look began. */
  #isBehind = false
  #wake: (() => void) | null = null

  constructor(options: StoreWatcherOptions) {
    this.#store = options.store
    this.#onWrite = options.onWrite
    this.#pollMs = options.pollMs
  }

  get listeners(): number {
    return this.#subscriptions.size
  }

  /** Listens to one run, or with `null` to all. The watcher looks at the store until the subscription is closed. */
  listen(runId: string | null): Subscription {
    const subscription = new OpenSubscription(runId, this.#version, () =>
      this.#subscriptions.delete(subscription),
    )
    this.#subscriptions.add(subscription)
    // A floating loop by design: it ends with the last listener and handles its own errors.
    if (!this.#looking) void this.#look()
    return subscription
  }

  async #look(): Promise<void> {
    this.#looking = true
    this.#position = null
    const stopListening = this.#onWrite(() => {
      this.#isBehind = true
      this.#wake?.()
    })
    while (this.#subscriptions.size > 0) {
      this.#isBehind = false
      try {
        await this.#lookOnce()
      } catch {
        // The store cannot be read right now; listeners get no news until it can.
      }
      await sleep(Math.min(MIN_PAUSE_MS, this.#pollMs))
      if (!this.#isBehind) await this.#pause()
    }
    stopListening()
    this.#looking = false
  }

  /** Waits until this process writes, or until the next regular look. */
  async #pause(): Promise<void> {
    const over = Promise.withResolvers<void>()
    const timer = setTimeout(over.resolve, this.#pollMs)
    this.#wake = over.resolve
    await over.promise
    this.#wake = null
    clearTimeout(timer)
  }

  async #lookOnce(): Promise<void> {
    if (this.#position === null) {
      this.#position = await this.#store.lastPosition()
      this.#change = await this.#store.lastChange()
      // Wakes all: something may have been stored between a listener's first read and this look.
      return this.#notify(() => true)
    }
    const changed = await this.#store.changedRuns(this.#position)
    const change = await this.#store.lastChange()
    if (changed.length === 0 && change === this.#change) return
    this.#change = change
    this.#position = Math.max(this.#position, ...changed.map(({ position }) => position))
    const runs = new Set(changed.map(({ runId }) => runId))
    this.#notify(runId => runId === null || runs.has(runId))
  }

  #notify(concerns: (runId: string | null) => boolean): void {
    this.#version++
    for (const subscription of this.#subscriptions)
      if (concerns(subscription.runId)) subscription.changed(this.#version)
  }
}

class OpenSubscription implements Subscription {
  readonly runId: string | null
  readonly #onClose: () => void
  #version: number
  #wake: (() => void) | null = null

  constructor(runId: string | null, version: number, onClose: () => void) {
    this.runId = runId
    this.#version = version
    this.#onClose = onClose
  }

  get version(): number {
    return this.#version
  }

  changed(version: number): void {
    this.#version = version
    this.#wake?.()
  }

  changedSince(version: number, maxMs: number, signal: AbortSignal): Promise<void> {
    if (version !== this.#version || signal.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#wake = null
        resolve()
      }
      const timer = setTimeout(done, maxMs)
      signal.addEventListener('abort', done)
      this.#wake = done
    })
  }

  close(): void {
    this.#onClose()
  }
}
