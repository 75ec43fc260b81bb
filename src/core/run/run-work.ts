// The work of a run: which process does it, and what it has used and cost so far.
import { type Price, priceOf } from '../money/ledger.ts'
import { NO_USAGE, type Usage } from './events.ts'
import { type Request, totalUsage } from './observe.ts'
import type { Run } from './run.ts'

/** Which process does the work of a run, and what the run has cost so far. */
export type RunWork = {
  /** The process that runs it or ran it last. */
  readonly worker: { readonly host: string; readonly pid: number }
  /** The lease of a run that is going; `null` when it holds none. */
  readonly lease: {
    /** Grows with each holder of the thread. */
    readonly token: number
    /** When it ends unless it is renewed, in milliseconds since 1970. */
    readonly until: number
  } | null
  readonly usage: Usage
  /** `null`: not known. */
  readonly costUsd: number | null
  /** `so-far`: the list prices of the requests that were reported; `booked`: what the ended run has cost. */
  readonly costIs: 'so-far' | 'booked'
}

/** Requests that were reported so far, by list prices; what was booked once the run has ended. */
export function spentBy(
  run: Pick<Run, 'endedAt' | 'usage' | 'costUsd'>,
  requests: readonly Request[],
  price: (model: string) => Price | null,
): Pick<RunWork, 'usage' | 'costUsd' | 'costIs'> {
  // A run that parked its question has booked what its process has cost.
  if (run.endedAt !== null || run.costUsd !== null)
    return { usage: run.usage, costUsd: run.costUsd, costIs: 'booked' }
  if (requests.length === 0) return { usage: NO_USAGE, costUsd: 0, costIs: 'so-far' }
  const costUsd = priceOf(requests, price)?.least ?? null
  return { usage: totalUsage(requests), costUsd, costIs: 'so-far' }
}
