// Runs a turn while its lease is renewed beside it. The lease is given back by whatever ends the run.
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
  /** Asked under the lease: an agent that is gone ends the run, and nothing waits for it for ever. */
  readonly find: () => Promise<Agent>
  readonly options: Pick<TurnOptions, 'maxTurns' | 'budgetUsd'>
  /** Of a turn that says something for itself. */
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
    // Until that is written, the run keeps its lease.
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
