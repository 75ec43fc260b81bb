// Takes work of one queue and has it handled, so much at a time. It beats for what it has, and takes back what dead processes had.
import type { Clock } from '../core/world.ts'
import { RepriseError } from '../errors.ts'
import type { Owner } from '../store/contract/leases.ts'
import type { Delivered, WorkEnd, WorkVerbs } from '../store/contract/work.ts'
import type { AbortReason, ConsumeOptions, Consumer, Handler } from './engine.ts'

export type EngineTiming = {
  /** After this long without a heartbeat, another worker gets the work. */
  readonly beatMs: number
  /** How often a consumer looks for work that other processes dispatched or lost. */
  readonly pollMs: number
  readonly retryMs: number
  readonly maxRetryMs: number
  readonly retryLimit: number
  /** Whether a process without a heartbeat loses its work although it is known to live, such as a paused one. */
  readonly pausedLoses: boolean
}

export const ENGINE_TIMING: EngineTiming = {
  beatMs: 15_000,
  pollMs: 500,
  retryMs: 1_000,
  maxRetryMs: 60_000,
  retryLimit: 20,
  // A machine that slept wakes all its processes at once: none of them is late.
  pausedLoses: false,
}

export type ConsumerParts = ConsumeOptions & {
  /** Where the work is kept. */
  readonly kept: WorkVerbs
  readonly clock: Clock
  readonly owner: Owner
  /** `null`: the owner is on another host, so this process cannot know. */
  isAlive(owner: Owner): boolean | null
  readonly timing: EngineTiming
  readonly queue: string
  readonly handler: Handler
}

type InHands = { readonly work: Delivered; readonly stop: AbortController }

export class WorkConsumer implements Consumer {
  readonly #parts: ConsumerParts
  /** The same work may be in it twice: after it was lost and taken again, while its first handler still ends. */
  readonly #inHands = new Set<InHands>()
  readonly #handling = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  readonly #loops: Promise<unknown>
  #waker = new AbortController()
  #tookBackAt = Number.NEGATIVE_INFINITY

  constructor(parts: ConsumerParts) {
    this.#parts = parts
    this.#loops = Promise.all([this.#takeLoop(), this.#beatLoop()])
  }

  get active(): number {
    return this.#inHands.size
  }

  /** How much more it may take. */
  get #free(): number {
    return this.#parts.concurrency - this.#inHands.size
  }

  wake(): void {
    this.#waker.abort()
  }

  abort(id: string, reason: AbortReason): void {
    for (const { work, stop } of this.#inHands) if (work.id === id) stop.abort(reason)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.wake()
    for (const { stop } of this.#inHands) stop.abort('closing')
    await this.#loops
    await Promise.allSettled(this.#handling)
  }

  async #takeLoop(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      this.#waker = new AbortController()
      const taken = await this.#take()
      for (const work of taken) this.#handle(work)
      if (taken.length === 0) await this.#pause()
    }
  }

  /** Empty: nothing is due, this consumer is full, or the store fails right now. */
  async #take(): Promise<readonly Delivered[]> {
    const { kept, queue, owner, clock, timing } = this.#parts
    const most = this.#free
    if (most <= 0) return []
    try {
      const lanes = await this.#lanes()
      if (lanes?.length === 0) return []
      const taking = { queue, owner, lanes, beatMs: timing.beatMs, now: clock.now() }
      if (kept.dequeueMany) return await kept.dequeueMany({ ...taking, most })
      const work = await kept.dequeueWork(taking)
      return work ? [work] : []
    } catch {
      // Whatever it was, the consumer must not stop: it pauses and tries again.
      return []
    }
  }

  async #pause(): Promise<void> {
    const { clock, timing } = this.#parts
    // A busy consumer pauses after every few handlers, but it need not look for dead processes that often. Clocks may be set back.
    if (Math.abs(clock.now() - this.#tookBackAt) >= timing.pollMs) {
      this.#tookBackAt = clock.now()
      await this.#takeBack().catch(() => {}) // The next time tries again.
    }
    if (this.#waker.signal.aborted) return
    const pauseMs = this.#free > 0 ? await this.#untilDueMs() : timing.pollMs
    await clock.sleep(pauseMs, this.#waker.signal)
  }

  async #untilDueMs(): Promise<number> {
    const { kept, queue, clock, timing } = this.#parts
    const next = await this.#lanes()
      .then(lanes => kept.nextWorkAt(queue, lanes))
      .catch(() => null) // The next pause tries again.
    const dueMs = next === null ? timing.pollMs : next - clock.now()
    // The work is due, but its key is full.
    return dueMs <= 0 ? timing.pollMs : Math.min(dueMs, timing.pollMs)
  }

  /** Those of the waiting lanes that this consumer takes. */
  async #lanes(): Promise<readonly string[] | undefined> {
    const { kept, queue, takes } = this.#parts
    if (takes === undefined) return undefined
    return (await kept.waitingLanes(queue)).filter(lane => takes(lane))
  }

  /** Ends deliveries of dead processes as failed, so that the work is handed out again. */
  async #takeBack(): Promise<void> {
    const { kept, queue, isAlive, timing } = this.#parts
    for (const { work, expired } of await kept.workInHands(queue)) {
      const alive = isAlive(work.owner)
      const isLost = alive === false || (expired && (alive === null || timing.pausedLoses))
      if (isLost) await kept.endWork(work, this.#failed(work, 'the process that had it died'))
    }
  }

  #handle(work: Delivered): void {
    const stop = new AbortController()
    // It was taken while this consumer began to close.
    if (this.#closing.signal.aborted) stop.abort('closing')
    const inHands = { work, stop }
    this.#inHands.add(inHands)
    const handling = this.#run(work, stop.signal).finally(() => {
      this.#inHands.delete(inHands)
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
    await this.#parts.kept.endWork(work, end).catch(() => {
      // The heartbeat ends now, so the work is handed out again.
    })
  }

  #failed({ failures }: Delivered, error: string): WorkEnd {
    const { clock, timing } = this.#parts
    const pauseMs = Math.min(timing.maxRetryMs, timing.retryMs * 2 ** Math.min(failures, 20))
    return { next: 'failed', error, retryAt: clock.now() + pauseMs }
  }

  async #beatLoop(): Promise<void> {
    const isOver = () => this.#closing.signal.aborted && this.#inHands.size === 0
    while (!isOver()) {
      await this.#untilNextBeat()
      await Promise.all([...this.#inHands].map(inHands => this.#beat(inHands)))
    }
  }

  async #beat(inHands: InHands): Promise<void> {
    const { kept, timing } = this.#parts
    const { work, stop } = inHands
    try {
      const { cancelRequested } = await kept.beatWork(work, timing.beatMs)
      if (cancelRequested) stop.abort('cancelled')
    } catch (error) {
      const isLost = error instanceof RepriseError && error.code === 'lease-lost'
      if (isLost && this.#inHands.has(inHands)) stop.abort('lost')
    }
  }

  /** What ends slowly while this consumer closes must not be handed to another worker meanwhile, so it beats on. */
  async #untilNextBeat(): Promise<void> {
    const { clock, timing } = this.#parts
    const ended = new AbortController()
    const closing = this.#closing.signal
    if (closing.aborted) void Promise.allSettled(this.#handling).then(() => ended.abort())
    const pauseMs = Math.min(timing.beatMs / 3, 1_000)
    await clock.sleep(pauseMs, closing.aborted ? ended.signal : closing)
  }
}
