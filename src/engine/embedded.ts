// The engine for one machine, in this process and on the store. It notices a dead process by its pid or its missing heartbeat.
import type { Clock } from '../core/world.ts'
import { RepriseError } from '../errors.ts'
import type { Owner } from '../store/contract/leases.ts'
import type { Delivered, WorkEnd, WorkVerbs } from '../store/contract/work.ts'
import type { AbortReason, Consumer, Engine, Handler, Work } from './engine.ts'

export type EngineParts = {
  readonly store: WorkVerbs
  readonly clock: Clock
  readonly owner: Owner
  /** `null`: the owner is on another host, so this process cannot know. */
  isAlive(owner: Owner): boolean | null
}

export type EngineTiming = {
  /** After this long without a heartbeat, another worker gets the work. */
  readonly beatMs: number
  /** How often a consumer looks for work that other processes dispatched or lost. */
  readonly pollMs: number
  readonly retryMs: number
  readonly maxRetryMs: number
  readonly retryLimit: number
}

export const ENGINE_TIMING: EngineTiming = {
  beatMs: 15_000,
  pollMs: 500,
  retryMs: 1_000,
  maxRetryMs: 60_000,
  retryLimit: 20,
}

export function createEmbeddedEngine(
  parts: EngineParts,
  timing: EngineTiming = ENGINE_TIMING,
): Engine {
  const consumers = new Map<string, EmbeddedConsumer>()
  return {
    async dispatch(work) {
      const put = await parts.store.enqueueWork(completed(work, timing), parts.clock.now())
      consumers.get(work.queue)?.wake()
      return put
    },
    enlist: work => transaction =>
      transaction.enqueueWork(completed(work, timing), parts.clock.now()),
    enlistCancel: (queue, id) => transaction => transaction.cancelWork(queue, id),
    wake: queue => consumers.get(queue)?.wake(),
    consume(queue, handler, { concurrency }) {
      const consumer = new EmbeddedConsumer({ ...parts, timing, queue, handler, concurrency })
      consumers.set(queue, consumer)
      return consumer
    },
    async cancel(queue, id) {
      const how = await parts.store.cancelWork(queue, id)
      consumers.get(queue)?.abort(id, 'cancelled')
      return how
    },
    having: async (queue, ids) => new Set(await parts.store.liveWork(queue, ids)),
    dead: (queue, limit) => parts.store.deadWork(queue, limit),
    async close() {
      await Promise.all([...consumers.values()].map(consumer => consumer.close()))
    },
  }
}

function completed(work: Work, timing: EngineTiming) {
  const { queue, id, key = null, perKey = 1, priority = 0, notBefore = 0 } = work
  const { retryLimit = timing.retryLimit } = work
  return { queue, id, key, perKey, priority, notBefore, retryLimit }
}

type ConsumerParts = EngineParts & {
  readonly timing: EngineTiming
  readonly queue: string
  readonly handler: Handler
  readonly concurrency: number
}

type InHands = { readonly work: Delivered; readonly stop: AbortController }

class EmbeddedConsumer implements Consumer {
  readonly #parts: ConsumerParts
  readonly #inHands = new Map<string, InHands>()
  readonly #handling = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  readonly #loops: Promise<unknown>
  #waker = new AbortController()

  constructor(parts: ConsumerParts) {
    this.#parts = parts
    this.#loops = Promise.all([this.#takeLoop(), this.#beatLoop()])
  }

  get active(): number {
    return this.#inHands.size
  }

  wake(): void {
    this.#waker.abort()
  }

  abort(id: string, reason: AbortReason): void {
    this.#inHands.get(id)?.stop.abort(reason)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.wake()
    for (const id of this.#inHands.keys()) this.abort(id, 'closing')
    await this.#loops
    await Promise.allSettled(this.#handling)
  }

  async #takeLoop(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      this.#waker = new AbortController()
      const work = await this.#take()
      if (work) this.#handle(work)
      else await this.#pause()
    }
  }

  /** `null`: nothing is due, this consumer is full, or the store fails right now. */
  async #take(): Promise<Delivered | null> {
    const { store, queue, owner, clock, timing, concurrency } = this.#parts
    if (this.#inHands.size >= concurrency) return null
    try {
      const taking = { queue, owner, beatMs: timing.beatMs, now: clock.now() }
      return await store.dequeueWork(taking)
    } catch (error) {
      if (error instanceof RepriseError) return null
      throw error
    }
  }

  async #pause(): Promise<void> {
    const { store, queue, clock, timing } = this.#parts
    await this.#takeBack().catch(() => {}) // The next pause tries again.
    const next = await store.nextWorkAt(queue).catch(() => null) // As above.
    const dueMs = next === null ? timing.pollMs : next - clock.now()
    // The work is due, but its key or this consumer is full.
    const pauseMs = dueMs <= 0 ? timing.pollMs : Math.min(dueMs, timing.pollMs)
    await clock.sleep(pauseMs, this.#waker.signal)
  }

  /** Ends deliveries of dead processes as failed, so that the work is handed out again. */
  async #takeBack(): Promise<void> {
    const { store, queue, isAlive } = this.#parts
    for (const { work, expired } of await store.workInHands(queue)) {
      const alive = isAlive(work.owner)
      const isLost = alive === null ? expired : !alive
      if (isLost) await store.endWork(work, this.#failed(work, 'the process that had it died'))
    }
  }

  #handle(work: Delivered): void {
    const stop = new AbortController()
    this.#inHands.set(work.id, { work, stop })
    const handling = this.#run(work, stop.signal).finally(() => {
      this.#inHands.delete(work.id)
      this.#handling.delete(handling)
      this.wake()
    })
    this.#handling.add(handling)
  }

  async #run(work: Delivered, signal: AbortSignal): Promise<void> {
    const { id, key, failures } = work
    let end: WorkEnd
    try {
      end = await this.#parts.handler({ id, key, failures, signal })
    } catch (error) {
      end = this.#failed(work, error instanceof Error ? error.message : String(error))
    }
    await this.#parts.store.endWork(work, end).catch(() => {
      // The heartbeat ends now, so the work is handed out again.
    })
  }

  #failed({ failures }: Delivered, error: string): WorkEnd {
    const { clock, timing } = this.#parts
    const pauseMs = Math.min(timing.maxRetryMs, timing.retryMs * 2 ** Math.min(failures, 20))
    return { next: 'failed', error, retryAt: clock.now() + pauseMs }
  }

  async #beatLoop(): Promise<void> {
    const { store, clock, timing } = this.#parts
    const isOver = () => this.#closing.signal.aborted && this.#inHands.size === 0
    while (!isOver()) {
      await clock.sleep(Math.min(timing.beatMs / 3, 1_000), this.#closing.signal)
      for (const { work, stop } of [...this.#inHands.values()]) {
        try {
          const { cancelRequested } = await store.beatWork(work, timing.beatMs)
          if (cancelRequested) stop.abort('cancelled')
        } catch (error) {
          const isLost = error instanceof RepriseError && error.code === 'lease-lost'
          if (isLost && this.#inHands.has(work.id)) stop.abort('lost')
        }
      }
      if (this.#closing.signal.aborted) await Promise.allSettled([...this.#handling])
    }
  }
}
