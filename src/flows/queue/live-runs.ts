// The runs of this process, so that they can be stopped: by their caller, by a cancel request, at shutdown.
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
  /** Tells who waits for an answer that there is one. */
  readonly answers = new WakeUps()
  readonly #closing = new AbortController()
  /** Ends that could not be stored: as long as this process lives, nobody else may write them. */
  readonly #unwritten = new Map<string, () => Promise<void>>()

  readonly #writeListeners = new Set<() => void>()

  constructor(maxRunning = Number.POSITIVE_INFINITY) {
    this.slots = new Slots(maxRunning)
  }

  /** Called after this process has stored events. */
  readonly wrote = (): void => {
    for (const listener of this.#writeListeners) listener()
  }

  /** Gives the function that ends it. */
  onWrite(listener: () => void): () => void {
    this.#writeListeners.add(listener)
    return () => this.#writeListeners.delete(listener)
  }

  /** Aborted at shutdown: who waits for a place in the queue gives up. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Until the turn is over, also before and after its process, `stopAll` is not done. */
  async during<T>(turn: () => Promise<T>): Promise<T> {
    const running = turn()
    this.#turns.add(running)
    try {
      return await running
    } finally {
      this.#turns.delete(running)
    }
  }

  /** Writes the end of a run now, or at a later occasion. False when it has to wait. */
  async writeEnd(runId: string, write: () => Promise<void>): Promise<boolean> {
    try {
      await write()
      this.#unwritten.delete(runId)
      return true
    } catch {
      // The store itself is the trouble, and the caller has an error to tell already.
      this.#unwritten.set(runId, write)
      return false
    }
  }

  /** Gives how many ends were written that had to wait. */
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
      // Its end is seen by whoever reads the process; a failing stop shows there too.
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
      /** A stop that was asked for before the process was there happens now. */
      started: (stopProcess: Stop) => {
        process = stopProcess
        if (wanted) stop(wanted)
      },
      /** The same turn goes on under another id. */
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

  /** Nothing new starts; resolves when all turns are over by themselves, or when the signal aborts. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#closing.abort()
    const aborted = new Promise<void>(resolve => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve())
    })
    await Promise.race([Promise.allSettled(this.#turns), aborted])
  }

  async stopAll(reason: KillReason): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#runs.keys()].map(runId => this.stop(runId, reason)))
    await Promise.allSettled(this.#turns)
  }
}
