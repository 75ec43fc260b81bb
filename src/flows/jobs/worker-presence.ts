// Tells the store that this process works on jobs, for as long as it does: what it offers, how busy it is, that it lives.
import { VERSION } from '../../core/version.ts'
import type { Handler } from '../../engine/engine.ts'
import type { StoredWorker, WorkerBeat } from '../../store/contract/workers.ts'
import type { Dependencies } from '../dependencies.ts'

/** After this many missed beats a worker counts as gone. */
const MISSED_BEATS = 4
/** Changes of the load that come close together are stored together. */
const TOGETHER_MS = 250

export class WorkerPresence {
  readonly #dependencies: Dependencies
  readonly #id: string
  readonly #concurrency: number
  readonly #closing = new AbortController()
  #changed = new AbortController()
  #active = 0
  #isDraining = false
  #beating: Promise<void> = Promise.resolve()

  constructor(dependencies: Dependencies, concurrency: number) {
    this.#dependencies = dependencies
    this.#id = dependencies.random.id('wrk')
    this.#concurrency = concurrency
  }

  /** Resolves when the store knows the worker; it goes on beating in the background. */
  async start(): Promise<void> {
    await this.#beat()
    this.#beating = this.#beatWhileOpen()
  }

  /** Counts what the handler works on. */
  counting(handler: Handler): Handler {
    return async delivery => {
      this.#count(1)
      try {
        return await handler(delivery)
      } finally {
        this.#count(-1)
      }
    }
  }

  /** From now on the worker takes no more jobs. */
  drain(): void {
    this.#isDraining = true
    this.#changed.abort()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#changed.abort()
    await this.#beating
    await this.#dependencies.store.removeWorker(this.#id).catch(() => {
      // The store fails right now: the worker counts as gone when its last beat is old.
    })
  }

  #count(by: 1 | -1): void {
    this.#active += by
    this.#changed.abort()
  }

  async #beatWhileOpen(): Promise<void> {
    const { clock, timing } = this.#dependencies
    while (!this.#closing.signal.aborted) {
      await clock.sleep(timing.workerBeatMs, this.#changed.signal)
      if (this.#changed.signal.aborted) await clock.sleep(TOGETHER_MS, this.#closing.signal)
      if (this.#closing.signal.aborted) return
      this.#changed = new AbortController()
      await this.#beat().catch(() => {
        // The store fails right now; the next beat tries again.
      })
    }
  }

  #beat(): Promise<void> {
    const { store, timing } = this.#dependencies
    return store.beatWorker(this.#now(), timing.workerBeatMs * MISSED_BEATS)
  }

  #now(): WorkerBeat {
    const { owner, offer, agents } = this.#dependencies
    return {
      id: this.#id,
      pid: owner.pid,
      startTime: owner.startTime,
      version: VERSION,
      ...offer,
      agents: [...agents.keys()],
      concurrency: this.#concurrency,
      active: this.#active,
      draining: this.#isDraining,
    }
  }
}

/** On this host the process itself shows whether it lives; of another host only the beat is known. */
export async function listWorkers({
  store,
  isAlive,
}: Pick<Dependencies, 'store' | 'isAlive'>): Promise<readonly Omit<StoredWorker, 'startTime'>[]> {
  return (await store.workers()).map(({ startTime, ...worker }) =>
    isAlive({ ...worker, startTime }) === false ? { ...worker, state: 'gone' } : worker,
  )
}
