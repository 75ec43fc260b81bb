// Follows stored events: gives each event after a position once, in order, until the run has ended. The store is the only source,
// so it does not matter which process runs the agent, or whether that process was restarted meanwhile.

import type { StoredChange, StoredEvent, StoredFeedEvent } from '../../core/run/stored-events.ts'
import type { Clock } from '../../core/world.ts'
import type { Store } from '../../store/contract/store.ts'
import { SharedReads } from './shared-reads.ts'
import { StoreWatcher, type Subscription } from './store-watcher.ts'

export type RunLogOptions = {
  readonly store: Pick<
    Store,
    'events' | 'feed' | 'run' | 'lastPosition' | 'changedRuns' | 'changes' | 'lastChange'
  >
  readonly onWrite: (listener: () => void) => () => void
  /** How often to look for events that other processes stored. */
  readonly pollMs: number
  readonly clock: Pick<Clock, 'sleep'>
  /** Ends runs whose process died, and turns that a dead process left in the queue of this thread. */
  readonly recover: (waitingOn: string | null) => Promise<unknown>
}

export type FollowOptions = {
  readonly after?: number
  readonly signal?: AbortSignal | undefined
  /** Aborted when no more events will come; the follower still reads the stored ones. */
  readonly over?: AbortSignal
  /** The thread in whose queue the caller waits. */
  readonly waitingOn?: string | null
}

const PAGE = 100
/** After this long without events, the follower checks whether the process that runs the agent still lives. */
const QUIET_MS = 1_000
/** How long a closing process waits for followers that still read the last events. */
const CLOSING_MS = 500

type Quiet = { readonly ms: number; readonly awake: AbortSignal }

export class RunLog {
  readonly #options: RunLogOptions
  readonly #watcher: StoreWatcher
  readonly #reads = new SharedReads()
  readonly #closing = new AbortController()
  readonly #readers = new Set<Promise<void>>()
  #isClosed = false
  #recoveredAt = Number.NEGATIVE_INFINITY

  constructor(options: RunLogOptions) {
    this.#options = options
    this.#watcher = new StoreWatcher(options)
  }

  /** Ends after `ended`, when the signal aborts, or when this process closes. */
  async *followRun(
    runId: string,
    following: FollowOptions = {},
  ): AsyncGenerator<StoredEvent, void> {
    const { after = 0, signal, over, waitingOn = null } = following
    const { store } = this.#options
    const ends = [this.#closing.signal, ...(over ? [over] : [])]
    const awake = AbortSignal.any([...ends, ...(signal ? [signal] : [])])
    const subscription = this.#watcher.listen(runId)
    const done = this.#reading()
    let seq = after
    let hasEnded = false
    try {
      while (!signal?.aborted && !this.#isClosed) {
        const isLast = hasEnded || ends.some(({ aborted }) => aborted)
        const { version } = subscription
        const from = seq
        const read = () => store.events(runId, from, PAGE)
        const events = await this.#reads.read(`${version} ${runId} ${from}`, read)
        for (const event of events) {
          seq = event.seq
          yield event
          if (event.type === 'ended' || signal?.aborted) return
        }
        if (events.length > 0) continue
        if (isLast) return
        hasEnded = await this.#hasEnded(runId)
        if (hasEnded) continue
        await this.#quiet(subscription, version, { ms: QUIET_MS, awake })
        if (version === subscription.version && !awake.aborted) await this.#recover(waitingOn)
      }
    } finally {
      subscription.close()
      done()
    }
  }

  /** The events of all runs, and the changes of threads, chains, jobs and schedules. */
  async *followAll(
    after: { readonly position: number; readonly change: number },
    signal: AbortSignal,
  ): AsyncGenerator<StoredFeedEvent | StoredChange, void> {
    const awake = AbortSignal.any([signal, this.#closing.signal])
    const subscription = this.#watcher.listen(null)
    let { position, change } = after
    try {
      while (!awake.aborted) {
        const { version } = subscription
        const from = position
        const read = () => this.#options.store.feed(from, PAGE)
        const events = await this.#reads.read(`${version} ${from}`, read)
        for (const event of events) {
          position = event.position
          yield event
        }
        const since = change
        const look = () => this.#options.store.changes(since, PAGE)
        const changes = await this.#reads.read(`${version} changes ${since}`, look)
        for (const changed of changes) {
          change = changed.position
          yield changed
        }
        if (events.length + changes.length === 0)
          await subscription.changedSince(version, LONG_MS, awake)
      }
    } finally {
      subscription.close()
    }
  }

  /**
   * Calls `look` now, after events were stored, and in growing steps up to `QUIET_MS`, until it finds something. Gives
   * `null` when the signal aborts or this process closes.
   */
  async lookUntilFound<Found>(
    look: () => Promise<Found | null>,
    signal?: AbortSignal,
  ): Promise<Found | null> {
    const { clock, pollMs } = this.#options
    const awake = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])])
    const subscription = this.#watcher.listen(null)
    let ms = pollMs
    try {
      while (!awake.aborted) {
        const { version } = subscription
        const found = await look()
        if (found !== null) return found
        await this.#quiet(subscription, version, { ms, awake })
        ms = version === subscription.version ? Math.min(2 * ms, QUIET_MS) : pollMs
        // Other runs may store events all the time.
        if (version !== subscription.version) await clock.sleep(pollMs, awake)
      }
      return null
    } finally {
      subscription.close()
    }
  }

  /** Followers read the last events and end. A follower that does not read delays the close only briefly. */
  async close(): Promise<void> {
    this.#closing.abort()
    const slow = Promise.withResolvers<void>()
    const timer = setTimeout(slow.resolve, CLOSING_MS)
    await Promise.race([Promise.all(this.#readers), slow.promise])
    clearTimeout(timer)
    this.#isClosed = true
  }

  /** Waits until something is stored, or until `ms` have passed. */
  async #quiet(subscription: Subscription, version: number, { ms, awake }: Quiet): Promise<void> {
    const done = new AbortController()
    const signal = AbortSignal.any([awake, done.signal])
    const changed = subscription.changedSince(version, ms, signal)
    await Promise.race([changed, this.#options.clock.sleep(ms, signal)])
    done.abort()
  }

  #reading(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#readers.add(promise)
    return () => {
      this.#readers.delete(promise)
      resolve()
    }
  }

  /** A removed run counts as ended. Runs of earlier versions may have no `ended` event. */
  async #hasEnded(runId: string): Promise<boolean> {
    const run = await this.#options.store.run(runId)
    return run === null || run.endedAt !== null
  }

  /** Runs at most once per `QUIET_MS`, however many followers there are; with `waitingOn`, always. */
  async #recover(waitingOn: string | null): Promise<void> {
    const now = performance.now()
    if (waitingOn === null && now - this.#recoveredAt < QUIET_MS) return
    if (waitingOn === null) this.#recoveredAt = now
    await this.#options.recover(waitingOn).catch(() => {
      // The store cannot be read or written right now; the next look tries again.
    })
  }
}

/** A feed never ends; each stored event wakes it. */
const LONG_MS = 60_000
