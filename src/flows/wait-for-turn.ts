// A stored turn waits for its place: first of its thread's queue, and nobody runs.
import type { TurnOptions } from '../api.ts'
import type { Run } from '../core/run.ts'
import { RepriseError } from '../errors.ts'
import type { Claim, Lease } from '../store/store.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Parts } from './parts.ts'
import { recover } from './recover.ts'
import type { TurnControl } from './turn.ts'
import type { PlaceInLine } from './turn-line.ts'

const LONGEST_PAUSE_MS = 30_000
const STORE_PAUSE_MS = 1_000

export type Waiting = {
  readonly run: Run
  readonly options: Pick<TurnOptions, 'whenBusy'>
  readonly control: Pick<TurnControl, 'emit' | 'signal'>
  /** Among the turns of this process. */
  readonly place: PlaceInLine
}

export async function waitForTurn(parts: Parts, live: LiveRuns, turn: Waiting): Promise<Lease> {
  try {
    return await claimed(parts, live, turn)
  } catch (error) {
    if (!isKept(error)) await leaveQueue(parts, live, turn.run)
    throw error
  }
}

/** Whoever fails before its turn has come gives its place in the queue back: others wait behind it. */
async function leaveQueue(parts: Parts, live: LiveRuns, run: Run): Promise<void> {
  await live.writeEnd(run.id, async () => {
    await parts.store.requestCancel(run.id, parts.clock.now())
  })
}

async function claimed(
  parts: Parts,
  live: LiveRuns,
  { run, options, control, place }: Waiting,
): Promise<Lease> {
  const signal = AbortSignal.any([control.signal, live.closing])
  const cancelled = parts.owner.keepsQueue ? control.signal : signal
  let told = false
  let isFirst = place.ahead === 0
  for (;;) {
    if (live.closing.aborted && !cancelled.aborted) throw keptInQueue(run)
    const claim = await tryClaim(parts, run)
    if (claim === null) {
      await parts.clock.sleep(STORE_PAUSE_MS, signal)
      continue
    }
    if (claim.state === 'claimed') return claim.lease
    if (claim.state === 'ended' || cancelled.aborted) throw gaveUp(run)
    // Who is behind a turn of this very process knows that its owner lives.
    if (isFirst && (await endedOthers(parts, live, run))) continue
    if (options.whenBusy === 'fail') throw busy(run, claim.holder)
    if (!told) control.emit({ type: 'queued', runId: run.id, behind: claim.holder })
    told = true
    isFirst = await standInLine(parts, { place, isFirst, signal })
  }
}

/** `null`: not now. Who keeps the queue outlives a store that is locked or full for a while; a verb tells it at once. */
async function tryClaim({ store, owner, timing }: Parts, run: Run): Promise<Claim | null> {
  try {
    return await store.claimTurn(run.id, owner, timing.leaseMs)
  } catch (error) {
    const isTrouble = error instanceof RepriseError && STORE_TROUBLE.has(error.code)
    if (isTrouble && owner.keepsQueue) return null
    throw error
  }
}

const STORE_TROUBLE: ReadonlySet<string> = new Set(['store-unusable', 'store-full', 'busy'])

/** Runs that block the thread and belong to nobody any more, or whose end could not be written before. */
async function endedOthers(parts: Parts, live: LiveRuns, run: Run): Promise<boolean> {
  return (await live.writeEnds()) > 0 || (await recover(parts, live, run.threadId)).length > 0
}

/** The further behind, the more seldom it asks the store, for a cancel by others; its turn wakes it at once. */
async function standInLine(
  { clock, timing }: Parts,
  { place, isFirst, signal }: { place: PlaceInLine; isFirst: boolean; signal: AbortSignal },
): Promise<boolean> {
  if (isFirst) {
    await clock.sleep(timing.queuePollMs, signal)
    return true
  }
  const awake = new AbortController()
  const pauseMs = Math.min(timing.queuePollMs * 10 * place.ahead, LONGEST_PAUSE_MS)
  const asleep = clock.sleep(pauseMs, AbortSignal.any([signal, awake.signal]))
  const isNext = await Promise.race([
    place.isNext.then(() => true),
    place.called.then(() => false),
    asleep.then(() => false),
  ])
  awake.abort()
  return isNext
}

class KeptInQueue extends RepriseError {}

const isKept = (error: unknown): boolean => error instanceof KeptInQueue

function keptInQueue(run: Run): RepriseError {
  const what = `run ${run.id} stays in the queue: this process stops`
  return new KeptInQueue('cancelled', what, 'It runs when the daemon is started again.')
}

function gaveUp(run: Run): RepriseError {
  const what = `run ${run.id} was cancelled before its turn came`
  return new RepriseError('cancelled', what, 'Its prompt is kept; send it again when you like.')
}

function busy(run: Run, holder: string): RepriseError {
  return new RepriseError(
    'busy',
    `thread ${run.threadId} is busy: ${holder} is going or waits before this one`,
    `Wait for it, or cancel run ${holder}.`,
  )
}
