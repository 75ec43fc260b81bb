// What users see of agents and of savings; part of api.ts.
import type { EstimateQuality } from './core/money/estimate-error.ts'
import type { ReasonShare } from './core/money/reason-share.ts'
import type { UsageRow } from './core/money/usage.ts'

/** What Reprise found of one agent on this machine. */
export type AgentReport = {
  /** The name in the config. */
  readonly name: string
  readonly adapter: string
  /** False: Reprise knows the agent, but the config does not name it. */
  readonly configured: boolean
  /** The resolved program, or the name that was not found. */
  readonly executable: string
  readonly found: boolean
  /** `null` when the program was not found or is not this agent. */
  readonly version: string | null
  /** What the program was probed to be able to do. */
  readonly abilities: Readonly<Record<string, boolean>>
  /** The peculiarities of this version that Reprise takes care of. */
  readonly quirks: readonly string[]
  /** Whether Reprise can write sessions for this version, so that `carry: trimmed` and `carry: auto` can cut long outputs. */
  readonly writesSessions: boolean
  /** The command that installs its program; `null`: the program is there. */
  readonly install: string | null
  /** Names of variables: passed to trusted work, passed to chains and untrusted work, passed to nobody. */
  readonly env: {
    readonly trusted: readonly string[]
    readonly untrusted: readonly string[]
    readonly withheld: readonly string[]
  }
  /** Whether it has a key or a login: `how` names the variable or the file, never its content. */
  readonly login: { readonly state: 'found' | 'missing' | 'unknown'; readonly how: string | null }
  /** Why the agent cannot be used; `null` when it can. */
  readonly problem: string | null
  /** What to do about the problem. */
  readonly hint: string | null
}

/** What runs used, beside an estimate of what cold starts would have cost. */
export type SavingsReport = {
  readonly by: 'day' | 'thread' | 'agent'
  /** One row per day, thread or agent. */
  readonly rows: readonly UsageRow[]
  readonly total: UsageRow
  /** How runs continued, and why not by a resume; the most frequent first. */
  readonly reasons: readonly ReasonShare[]
  /** The share that continued a session among the runs that had something to continue; `null`: there were none. */
  readonly hitRate: number | null
  /** How good the estimates were that runs had before they started. */
  readonly estimates: EstimateQuality
  /** How the estimate is made, in words. */
  readonly formula: string
}
