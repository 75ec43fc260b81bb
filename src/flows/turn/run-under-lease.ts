// Runs a turn and renews its lease meanwhile. The verb of the store that ends the run frees the lease.
import type { TurnOptions } from '../../api.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { Run } from '../../core/run/run.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { keepLease } from '../lease/keep-lease.ts'
import type { Slot } from '../queue/slots.ts'
import type { TurnControl } from '../queue/under-way.ts'
import { endBroken } from '../recovery/end-broken.ts'
import { continueTurn } from './continue-turn.ts'
import { DEFAULT_TURN, type TurnSettings } from './turn-input.ts'

export type LeasedTurn = {
  readonly lease: Lease
  readonly slot: Slot
  /** When the claim was sent, by the monotonic clock. */
  readonly sentAt: number
  readonly run: Run
  readonly thread: ThreadRecord
  /** Called under the lease: if the agent is gone, the run ends and blocks nobody. */
  readonly find: () => Promise<Agent>
  readonly options: Pick<TurnOptions, 'maxTurns' | 'budgetUsd' | 'carry'>
  /** Settings of this turn alone. */
  readonly settings?: TurnSettings
  readonly control: Pick<TurnControl, 'signal'>
}

export async function runUnderLease(dependencies: Dependencies, held: LeasedTurn): Promise<Run> {
  const { lease, run, control } = held
  const over = new AbortController()
  const stopper = dependencies.live.add(run.id, control.signal)
  const renewing = keepLease(dependencies, { ...held, over: over.signal, stop: stopper.stop })
  const patient = waitingForDatabase(dependencies)
  try {
    return await continueTurn(patient, {
      runId: run.id,
      lease,
      agent: await held.find(),
      view: held.thread.view,
      instructions: await patient.store.instructionsOf(run.id),
      ...(held.options.maxTurns !== undefined && { maxTurns: held.options.maxTurns }),
      ...(held.options.budgetUsd !== undefined && { budgetUsd: held.options.budgetUsd }),
      ...(held.options.carry !== undefined && { carry: held.options.carry }),
      settings: settingsIn(held),
      workspace: held.thread.workspace,
      signal: control.signal,
      slot: held.slot,
      onNext: stopper.also,
      onStarted: stopper.started,
      stop: stopper.stop,
    })
  } catch (error) {
    // The run keeps its lease until this end is written.
    await dependencies.live.writeEnd(run.id, () => endBroken(dependencies, lease, { run, error }))
    throw error
  } finally {
    over.abort()
    await renewing
    stopper.remove()
    dependencies.tracing.leave(lease.threadId)
  }
}

/** What the thread says goes before what the config and a job say. */
function settingsIn({ settings = DEFAULT_TURN, thread: { carry } }: LeasedTurn): TurnSettings {
  return carry === undefined ? settings : { ...settings, resume: { ...settings.resume, carry } }
}

/** The step waits for a database that is away: every write carries the token, so a late one is refused if the lease is lost. */
function waitingForDatabase(dependencies: Dependencies): Dependencies {
  const { store, live } = dependencies
  return store.presence
    ? { ...dependencies, store: store.presence.waiting(live.patience) }
    : dependencies
}
