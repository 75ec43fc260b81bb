// Runs a turn and renews its lease meanwhile. The verb of the store that ends the run frees the lease.
import type { TurnOptions } from '../../api.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { KillReason, Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import type { Slot } from '../queue/slots.ts'
import type { TurnControl } from '../queue/under-way.ts'
import { endBroken } from '../recovery/end-broken.ts'
import { continueTurn } from './continue-turn.ts'
import { DEFAULT_TURN, type TurnSettings } from './turn-input.ts'

export type LeasedTurn = {
  readonly lease: Lease
  readonly slot: Slot
  readonly run: Run
  readonly thread: ThreadRecord
  /** Called under the lease: if the agent is gone, the run ends and blocks nobody. */
  readonly find: () => Promise<Agent>
  readonly options: Pick<TurnOptions, 'maxTurns' | 'budgetUsd'>
  /** Settings of this turn alone. */
  readonly settings?: TurnSettings
  readonly control: Pick<TurnControl, 'signal'>
}

export async function runUnderLease(dependencies: Dependencies, held: LeasedTurn): Promise<Run> {
  const { lease, run, control } = held
  const over = new AbortController()
  const stopper = dependencies.live.add(run.id, control.signal)
  const renewing = renew(dependencies, { lease, over: over.signal, stop: stopper.stop })
  try {
    return await continueTurn(dependencies, {
      runId: run.id,
      lease,
      agent: await held.find(),
      view: held.thread.view,
      instructions: await dependencies.store.instructionsOf(run.id),
      ...(held.options.maxTurns !== undefined && { maxTurns: held.options.maxTurns }),
      ...(held.options.budgetUsd !== undefined && { budgetUsd: held.options.budgetUsd }),
      settings: held.settings ?? DEFAULT_TURN,
      signal: control.signal,
      slot: held.slot,
      onNext: stopper.also,
      onStarted: stopper.started,
    })
  } catch (error) {
    // The run keeps its lease until this end is written.
    await dependencies.live.writeEnd(run.id, () => endBroken(dependencies, lease, { run, error }))
    throw error
  } finally {
    over.abort()
    await renewing
    stopper.remove()
  }
}

async function renew(
  dependencies: Dependencies,
  held: { lease: Lease; over: AbortSignal; stop: (reason: KillReason) => void },
): Promise<void> {
  const { lease, over, stop } = held
  for (;;) {
    await dependencies.clock.sleep(dependencies.timing.renewMs, over)
    if (over.aborted) return
    try {
      const { cancelRequested } = await dependencies.store.renewLease(
        lease,
        dependencies.timing.leaseMs,
      )
      if (cancelRequested) stop('cancelled')
    } catch (error) {
      if (!(error instanceof RepriseError) || error.code !== 'lease-lost') continue
      stop('lease-lost')
      return
    }
  }
}
