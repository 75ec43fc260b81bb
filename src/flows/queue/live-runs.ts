// Knows the runs of this process and stops them: for their caller, for a cancel request, at shutdown.
import type { KillReason } from '../../core/run/run.ts'
import type { WaitReason } from '../../core/run/wait-reason.ts'
import { LocalQueue } from './local-queue.ts'
import { Slots } from './slots.ts'
import { WakeUps } from './wake-ups.ts'

type Stop = (reason: KillReason) => Promise<void>

export class LiveRuns {
  readonly #runs = new Map<string, { stop: (reason: KillReason) => void; over: Promise<void> }>()
  readonly #turns = new Set<Promise<unknown>>()
  readonly queue = new LocalQueue()
  readonly slots: Slots
  /** Why queued turns of this process do not run yet, by run. */
  readonly waiting = new Map<string, () => WaitReason>()
  /** Wakes questions of this process when a user has answered. */
  readonly answers = new WakeUps()
  /** When this process last told other hosts that turns of it wait, by the monotonic clock. */
  saidWaitingAt = Number.NEGATIVE_INFINITY
  readonly #closing = new AbortController()
  readonly #impatient = new AbortController()
  /** Ends that could not be stored. No other process may write them while this one lives. */
  readonly #unwritten = new Map<string, () => Promise<void>>()

  readonly #writeListeners = new Set<() => void>()

  constructor(maxRunning = Number.POSITIVE_INFINITY) {
    this.slots = new Slots(maxRunning)
  }

  /** Called after this process has stored events. */
  readonly wrote = (): void => {
    for (const listener of this.#writeListeners) listener()
  }

  /** Gives the function that removes the listener. */
  onWrite(listener: () => void): () => void {
    this.#writeListeners.add(listener)
    return () => this.#writeListeners.delete(listener)
  }

  /** Aborted at shutdown: turns that wait in the queue give up. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Aborted when runs are stopped at shutdown: nothing waits for a database that is away any more. */
  get patience(): AbortSignal {
    return this.#impatient.signal
  }

  /** `stopAll` waits until this turn is over, including what happens before and after its process. */
  async during<T>(turn: () => Promise<T>): Promise<T> {
    const running = turn()
    this.#turns.add(running)
    try {
      return await running
    } finally {
      this.#turns.delete(running)
    }
  }

  /** Writes the end of a run now, or later in `writeEnds`. False when it has to wait. */
  async writeEnd(runId: string, write: () => Promise<void>): Promise<boolean> {
    try {
      await write()
      this.#unwritten.delete(runId)
      return true
    } catch {
      // The store does not work, and the caller already has an error to report.
      this.#unwritten.set(runId, write)
      return false
    }
  }

  /** Tries again to write the ends that had to wait. Gives how many it wrote. */
  async writeEnds(): Promise<number> {
    let written = 0
    for (const [runId, write] of [...this.#unwritten]) {
      if (await this.writeEnd(runId, write)) written += 1
    }
    return written
  }

  add(runId: string, cancelled: AbortSignal) {
    const over = Promise.withResolvers<void>()
    let process: Stop | null = null
    let wanted: KillReason | null = null
    const stop = (reason: KillReason) => {
      wanted ??= reason
      // The code that reads the process sees its end, and also a stop that failed.
      process?.(wanted).catch(() => {})
    }
    const onCancel = () => stop('cancelled')
    if (cancelled.aborted) onCancel()
    if (this.closing.aborted) stop('shutdown')
    cancelled.addEventListener('abort', onCancel)
    const known = [runId]
    const live = { stop, over: over.promise }
    this.#runs.set(runId, live)
    return {
      stop,
      /** Carries out a stop that was requested before the process existed. */
      started: (stopProcess: Stop) => {
        process = stopProcess
        if (wanted) stop(wanted)
      },
      /** Adds the id of the run in which the same turn goes on. */
      also: (nextRunId: string) => {
        known.push(nextRunId)
        this.#runs.set(nextRunId, live)
      },
      remove: () => {
        cancelled.removeEventListener('abort', onCancel)
        for (const id of known) this.#runs.delete(id)
        over.resolve()
      },
    }
  }

  stop(runId: string, reason: KillReason): Promise<void> | null {
    const run = this.#runs.get(runId)
    if (!run) return null
    run.stop(reason)
    return run.over
  }

  /** Turns that wait give up; no turn and no next run of a turn starts. */
  beginNothing(): void {
    this.#closing.abort()
  }

  /** Lets no new turn start. Resolves when all turns have ended by themselves, or when the signal aborts. */
  async drain(signal: AbortSignal): Promise<void> {
    this.beginNothing()
    const aborted = new Promise<void>(resolve => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve())
    })
    await Promise.race([Promise.allSettled(this.#turns), aborted])
  }

  async stopAll(reason: KillReason): Promise<void> {
    this.#closing.abort()
    this.#impatient.abort()
    await Promise.all([...this.#runs.keys()].map(runId => this.stop(runId, reason)))
    await Promise.allSettled(this.#turns)
  }
}
