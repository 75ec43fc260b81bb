// What users say and see of chains; part of api.ts.
import type { ChainRecord } from './core/chain/chain.ts'
import type { Policy } from './core/chain/policy.ts'
import type { TierReport } from './core/chain/policy-report.ts'
import type { ReportedCost } from './core/money/reported-cost.ts'
import type { RequestKey } from './core/run/request-key.ts'
import type { Run, RunStatus } from './core/run/run.ts'
import type { RunEvent } from './core/run/run-events.ts'
import type { SandboxKind, SandboxMode } from './core/run/sandbox.ts'
import type { Trust } from './core/run/trust.ts'
import type { WorkPlace } from './core/run/workspace.ts'
import type { TraceContext } from './core/trace/trace-context.ts'

/** How a chain is started. */
export type ChainOptions = WorkPlace & {
  /** A policy, or the name of a policy that this Reprise knows. */
  readonly policy: Policy | string
  /** The task, as the first tier reads it. */
  readonly prompt: string
  /** The agent of the tiers that name none; default: the agent of the policy, else the default agent. */
  readonly agent?: string | undefined
  /** The highest tier that the chain may reach. The policy may set a lower one. */
  readonly maxTier?: number | undefined
  /** Each tier only looks and says what it would do. */
  readonly dryRun?: boolean | undefined
  /** The sandbox of all tiers, instead of what the policy says. */
  readonly sandbox?: SandboxMode | undefined
  /** Dollars for the whole chain. The budget of the policy stays in force when it is lower. */
  readonly budgetUsd?: number | undefined
  /** The title of the thread of the chain. */
  readonly title?: string | undefined
  /** A chain that is started again with the same key is not started twice. */
  readonly key?: RequestKey | undefined
  /** The trace that it belongs to; default: the active span, when telemetry is on. A malformed one is ignored. */
  readonly trace?: TraceContext | undefined
  /** Aborting it cancels the chain. */
  readonly signal?: AbortSignal | undefined
}

/** What all runs of one tier of a chain come to. */
export type TierSummary = ReportedCost & {
  /** Counts from 1. */
  readonly tier: number
  readonly name: string
  /** The agent that ran it. */
  readonly agent: string
  /** The model of its last run; `null` before its start. */
  readonly model: string | null
  /** The reported cost and the cost by list prices disagree. */
  readonly costDisputed: boolean
  readonly durationMs: number
  /** Of all kinds together. */
  readonly tokens: number
  /** How many runs the tier took. */
  readonly runs: number
  /** The status of its last run. */
  readonly status: RunStatus
  /** Whose settings took part. */
  readonly trust: Trust
  /** What held the processes of its last run; `null` before its start. */
  readonly sandbox: SandboxKind | null
}

/** A chain with all its runs in order. It is the same from each of its runs. */
export type Chain = Omit<ChainRecord, 'mandate'> & {
  /** The name of the policy. */
  readonly policy: string
  /** The highest tier that the chain may reach. */
  readonly maxTier: number
  /** Every tier only looks. */
  readonly dryRun: boolean
  /** Dollars for the whole chain; `null`: no limit. */
  readonly budgetUsd: number | null
  /** Why the chain is where it is, in a sentence. */
  readonly words: string
  /** In the order in which they ran. */
  readonly runs: readonly Run[]
  /** The sums over all runs. */
  readonly totals: ReportedCost & {
    readonly durationMs: number
    readonly tokens: number
  }
  /** One entry for each tier that was entered, in order. */
  readonly byTier: readonly TierSummary[]
  /** Every tier of the policy as the chain copied it when it began; later changes of the policy do not count. */
  readonly tiers: readonly TierReport[]
}

/** A chain under way: iterate over it for the events of all its runs, await `result` for its end. */
export type ChainRun = AsyncIterable<RunEvent> & {
  /** Resolves when the chain is stored. `runId` is null when the chain was held before its first tier. */
  readonly submitted: Promise<{ readonly chainId: string; readonly runId: string | null }>
  /** Resolves when the chain is over or held. */
  readonly result: Promise<Chain>
  /** Ends the run that is going, and the chain with it. */
  cancel(): Promise<void>
}
