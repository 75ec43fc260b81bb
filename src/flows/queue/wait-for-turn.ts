// Lets a stored turn wait until it is first in its thread's queue, no run holds the thread, and this process has a free slot.

import type { TurnOptions } from '../../api.ts'
import { type Failure, OPEN_STATUSES, type Run } from '../../core/run/run.ts'
import { sendAgainHint } from '../../core/run/send-again-hint.ts'
import type { WaitReason } from '../../core/run/wait-reason.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease, Owner } from '../../store/contract/leases.ts'
import type { Claim } from '../../store/contract/queue.ts'
import type { Dependencies } from '../dependencies.ts'
import { recover } from '../recovery/recover.ts'
import type { QueuePlace } from './local-queue.ts'
import { sayWaiting } from './say-waiting.ts'
import type { Slot } from './slots.ts'
import type { TurnControl } from './under-way.ts'

const LONGEST_PAUSE_MS = 30_000
const STORE_PAUSE_MS = 1_000
/** How often a turn that waits for a slot looks whether another process has cancelled it. */
const SLOT_PAUSE_MS = 10_000

export type Waiting = {
  readonly run: Run
  readonly options: Pick<TurnOptions, 'whenBusy'>
  readonly control: Pick<TurnControl, 'signal'>
  /** Its place among the turns of this process. */
  readonly place: QueuePlace
}

/** A turn needs both to run: the lease gives it the thread, the slot limits the load of the machine. */
export type Claimed = {
  readonly lease: Lease
  readonly slot: Slot
  /** When the claim was sent, by the monotonic clock: the lease lasts no longer than `leaseMs` from here. */
  readonly sentAt: number
}

/** Whether the store may claim the turn at once, or the turn has to wait for a slot. */
export type SlotToClaim = { readonly leaseMs: number } | { readonly noSlot: WaitReason }

/** Stores a turn and claims it at once when there is a slot for it. */
export async function claimInSlot<Stored extends { readonly lease: Lease | null }>(
  { timing, live }: Dependencies,
  store: (slot: SlotToClaim) => Promise<Stored>,
): Promise<{ readonly stored: Stored; readonly claimed: Claimed | null }> {
  const slot = live.slots.tryTake()
  const sentAt = performance.now()
  try {
    const stored = await store(slot ? { leaseMs: timing.leaseMs } : { noSlot: live.slots.noSlot() })
    if (slot && stored.lease) return { stored, claimed: { lease: stored.lease, slot, sentAt } }
    slot?.release()
    return { stored, claimed: null }
  } catch (error) {
    slot?.release()
    throw error
  }
}

export async function waitForTurn(dependencies: Dependencies, turn: Waiting): Promise<Claimed> {
  try {
    return await new Wait(dependencies, turn).untilClaimed()
  } catch (error) {
    if (!isKept(error)) await leaveQueue(dependencies, turn)
    throw error
  } finally {
    dependencies.live.waiting.delete(turn.run.id)
  }
}

/** A turn that fails while it waits must leave the queue, because others wait behind it. */
async function leaveQueue(
  { store, owner, clock, live }: Dependencies,
  { run, control }: Waiting,
): Promise<void> {
  // On shutdown the run is not cancelled, so that its job or chain can go on later.
  const isStop = live.closing.aborted && !control.signal.aborted
  await live.writeEnd(run.id, async () => {
    if (isStop) await store.abandonQueued(run.id, owner, stoppedBefore(run), clock.now())
    else await store.requestCancel(run.id, clock.now())
  })
}

/** Records an orderly stop, so that nobody takes it for a crash. */
export function stoppedBefore(run: Run): Failure {
  return {
    class: 'shutdown',
    message: 'Reprise was stopped in order before this run began',
    hint: howItGoesOn(run),
    toolsRan: 0,
    resetsAt: null,
  }
}

function howItGoesOn(run: Run): string {
  const { jobId, chainId } = run
  if (jobId !== null) return 'The job goes on when Reprise runs again: reprise serve.'
  if (chainId !== null) return `Continue the chain: reprise chains continue ${chainId}.`
  return sendAgainHint(run)
}

class Wait {
  readonly #dependencies: Dependencies
  readonly #turn: Waiting
  readonly #signal: AbortSignal
  #woken: Promise<void>

  constructor(dependencies: Dependencies, turn: Waiting) {
    this.#dependencies = dependencies
    this.#turn = turn
    this.#signal = AbortSignal.any([turn.control.signal, dependencies.live.closing])
    this.#woken = turn.place.woken
  }

  async untilClaimed(): Promise<Claimed> {
    const { clock, timing } = this.#dependencies
    await this.#firstInLine()
    for (;;) {
      const slot = await this.#slot()
      const sentAt = performance.now()
      const claim = await this.#claim(slot)
      if (claim?.state === 'claimed') return { lease: claim.lease, slot, sentAt }
      if (claim === null) {
        await clock.sleep(STORE_PAUSE_MS, this.#signal)
        continue
      }
      if (claim.state === 'ended') throw gaveUp(this.#turn.run)
      this.#refuseWhenOver()
      if (await this.#endedOthers()) continue
      await sayWaiting(this.#dependencies)
      this.#waitFor(() => ({ code: 'thread-busy', runId: claim.holder }))
      await clock.sleep(timing.queuePollMs, this.#signal)
    }
  }

  /** Only the first turn of a thread asks for a slot, so a thread with many turns does not delay other threads. */
  async #firstInLine(): Promise<void> {
    const { place, run } = this.#turn
    const { ahead, behind, isNext } = place
    // A reply does not wait: the turns before it wait for the question that it answers.
    if (behind === null || run.repliesTo !== null) return
    this.#waitFor(() => ({ code: 'thread-busy', runId: behind }))
    const pauseMs = Math.min(this.#dependencies.timing.queuePollMs * 10 * ahead, LONGEST_PAUSE_MS)
    // The store's order counts. If the order here differs, a turn waits one pause longer, but never for ever.
    while (!(await this.#within(pauseMs, isNext)) && !(await this.#isFirst()));
  }

  async #slot(): Promise<Slot> {
    this.#refuseWhenOver()
    const { slots } = this.#dependencies.live
    const free = slots.tryTake()
    if (free) return free
    this.#waitFor(() => slots.noSlot())
    const ticket = slots.join()
    try {
      for (;;) {
        const got = await this.#within(SLOT_PAUSE_MS, ticket.slot)
        if (got) return got.value
      }
    } catch (error) {
      ticket.leave()
      throw error
    }
  }

  /** Releases the slot unless the turn is claimed. */
  async #claim(slot: Slot): Promise<Claim | null> {
    let claim: Claim | null = null
    try {
      claim = await tryClaim(this.#dependencies, this.#turn.run)
      return claim
    } finally {
      if (claim?.state !== 'claimed') slot.release()
    }
  }

  /**
   * `null`: it has not happened yet. This writes nothing, and reads the store only after the pause, to see whether another
   * process cancelled the turn.
   */
  async #within<T>(pauseMs: number, happens: Promise<T>): Promise<{ readonly value: T } | null> {
    this.#refuseWhenOver()
    await sayWaiting(this.#dependencies)
    const awake = new AbortController()
    const asleep = this.#dependencies.clock.sleep(
      pauseMs,
      AbortSignal.any([this.#signal, awake.signal]),
    )
    const happened = await Promise.race([
      happens.then(value => ({ value })),
      this.#woken.then(() => 'woken' as const),
      asleep.then(() => 'awake' as const),
    ])
    awake.abort()
    if (typeof happened === 'object') return happened
    // The wake-up counts once.
    if (happened === 'woken') this.#woken = new Promise(() => {})
    if (await this.#hasEnded()) throw gaveUp(this.#turn.run)
    return null
  }

  async #isFirst(): Promise<boolean> {
    const { store, owner } = this.#dependencies
    const { id, threadId } = this.#turn.run
    return (await store.firstInLine(threadId ?? '').catch(unlessTrouble(owner))) === id
  }

  #refuseWhenOver(): void {
    const { run } = this.#turn
    if (this.#turn.control.signal.aborted) throw gaveUp(run)
    if (!this.#dependencies.live.closing.aborted) return
    throw this.#dependencies.owner.keepsQueue ? keptInQueue(run) : stopped(run)
  }

  async #hasEnded(): Promise<boolean> {
    const { store, owner } = this.#dependencies
    const run = await store.run(this.#turn.run.id).catch(unlessTrouble(owner))
    return run !== null && !OPEN_STATUSES.includes(run.status)
  }

  /** Ends runs that block the thread: their process is dead, or their end could not be written before. */
  async #endedOthers(): Promise<boolean> {
    const { run } = this.#turn
    if ((await this.#dependencies.live.writeEnds()) > 0) return true
    return (await recover(this.#dependencies, run.threadId)).length > 0
  }

  #waitFor(reason: () => WaitReason): void {
    const { run, options } = this.#turn
    if (options.whenBusy === 'fail') throw busy(run, reason())
    this.#dependencies.live.waiting.set(run.id, reason)
  }
}

/** `null`: not now. A process that keeps the queue waits while the store is locked or full; other processes report it at once. */
async function tryClaim({ store, owner, timing }: Dependencies, run: Run): Promise<Claim | null> {
  return store.claimTurn(run.id, owner, timing.leaseMs).catch(unlessTrouble(owner))
}

const STORE_TROUBLE: ReadonlySet<string> = new Set(['store-unusable', 'store-full', 'busy'])

function unlessTrouble({ keepsQueue }: Owner): (error: unknown) => null {
  return error => {
    const isTrouble = error instanceof RepriseError && STORE_TROUBLE.has(error.code)
    if (isTrouble && keepsQueue) return null
    throw error
  }
}

class KeptInQueue extends RepriseError {}

const isKept = (error: unknown): boolean => error instanceof KeptInQueue

function keptInQueue(run: Run): RepriseError {
  const what = `run ${run.id} stays in the queue: this process stops`
  return new KeptInQueue(
    'cancelled',
    what,
    'It runs when the daemon is started again: reprise serve.',
  )
}

function stopped(run: Run): RepriseError {
  const what = `run ${run.id} did not begin: this process stops`
  return new RepriseError('cancelled', what, howItGoesOn(run))
}

function gaveUp(run: Run): RepriseError {
  const what = `run ${run.id} was cancelled before its turn came`
  return new RepriseError('cancelled', what, sendAgainHint(run))
}

function busy(run: Run, reason: WaitReason): RepriseError {
  if (reason.code === 'no-slot') {
    const what = `${reason.running} of ${reason.max} turns run: there is no slot for another`
    return new RepriseError(
      'busy',
      what,
      'Wait for one of them (`reprise runs --status running`), or raise maxRunning in config.yaml.',
    )
  }
  const { runId } = reason
  return new RepriseError(
    'busy',
    `thread ${run.threadId} is busy: ${runId} is going or waits before this one`,
    `Wait for it, or cancel it: reprise runs cancel ${runId}.`,
  )
}
