// The record of one execution of an agent program.

import type { Carry } from '../chain/carry.ts'
import type { HandoverNote } from '../chain/handover-note.ts'
import type { ChainStep } from '../chain/supervise.ts'
import type { Verdict } from '../chain/verdict.ts'
import type { Decision, Facts } from '../decide/decision.ts'
import type { ResumeSettings } from '../decide/settings.ts'
import type { Estimate } from '../money/estimate-record.ts'
import type { Usage } from './events.ts'
import type { Failure } from './failure.ts'
import type { SandboxKind, SandboxMode } from './sandbox.ts'
import type { Trust } from './trust.ts'

export type { Failure, FailureClass } from './failure.ts'

/** How a run stands. `waiting`: for an answer of the user; `interrupted`: ended before the agent was done. */
export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'completed'
  | 'failed'
  | 'interrupted'
  | 'cancelled'

/** The run is not over yet. */
export const OPEN_STATUSES: readonly RunStatus[] = ['queued', 'running', 'waiting']

/** Why we ended a process ourselves; recorded before the signal is sent. */
export type KillReason =
  | 'cancelled'
  | 'no-first-event'
  | 'silent'
  | 'too-slow'
  | 'hung-after-result'
  | 'output-limit'
  | 'budget'
  | 'policy-violation'
  | 'shutdown'
  | 'lease-lost'
  /** The database did not answer for as long as the lease lasts. */
  | 'database-away'
  /** The database was away, and its events did not fit on the disk. */
  | 'spool-full'

export type Exit = {
  readonly code: number | null
  readonly signal: string | null
  readonly endedBy: KillReason | null
  /** The last part of stderr, bounded. */
  readonly stderr: string
  /** A process that outlived the agent kept its output open; Reprise stopped reading. */
  readonly outputCut: boolean
}

export type CostSource = 'reported' | 'session-delta' | 'since-last-result' | 'per-message' | 'none'

export type Savings = {
  readonly coldInputTokens: number
  readonly coldCostUsd: number
  readonly savedUsd: number
  readonly estimate: true
}

/** Settings of one turn that go with it to the process that runs it; a missing field means no limit, or the general setting. */
export type TurnLimits = {
  readonly maxTurns?: number
  readonly budgetUsd?: number
  readonly carry?: Carry
}

/** The record of one execution of an agent program. Times are in milliseconds since 1970. */
export type Run = {
  readonly id: string
  readonly agent: string
  /** The model that answered; `null` until it is known. */
  readonly model: string | null
  readonly status: RunStatus
  /** The thread of its turn. */
  readonly threadId: string | null
  /** The chain that it is a tier of; `null` outside chains. */
  readonly chainId: string | null
  /** The job that it is an attempt of; `null` outside jobs. */
  readonly jobId: string | null
  readonly tier: number | null
  /** Counts from 1 within its turn, tier or job. */
  readonly attempt: number
  /** The run that it continues: of the same turn, or of the tier below. */
  readonly parentRunId: string | null
  /** The run that continues the turn: after a refused resume, with an answer, or in the next tier. */
  readonly continuedBy: string | null
  readonly promptMessageId: string | null
  readonly answerMessageId: string | null
  readonly workDir: string
  readonly permissionMode: string
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  /** Whose settings take part. */
  readonly trust: Trust
  /** The sandbox that was asked for. */
  readonly sandboxWanted: SandboxMode
  /** The sandbox that is in force; `null` until the run has started. */
  readonly sandbox: SandboxKind | null
  /** Why `auto` became `none`. */
  readonly sandboxNote: string | null
  readonly freshSession: boolean
  /** Whether the agent may ask the user, or is refused at once. */
  readonly questions: 'ask' | 'none'
  /** The call of the parent run that this run's prompt answers. */
  readonly repliesTo: string | null
  /** The host that started it; `null` before that, and for runs of earlier versions. */
  readonly host: string | null
  /** `warm`: a process that an earlier run started and Reprise kept; `null` before the start, and for runs of earlier versions. */
  readonly process: 'new' | 'warm' | null
  /** The run that started its process. */
  readonly processRunId: string | null
  /** The agent's id of its session; `null` until the agent named it. */
  readonly sessionId: string | null
  /** When the agent's own file showed that the turn was saved. */
  readonly sessionConfirmedAt: number | null
  /** The run continued a session, by a resume or a fork. */
  readonly sessionResumed: boolean
  /** How it continued, with what every guard saw; `null` while it is queued. */
  readonly decision: Decision | null
  /** The facts of the decision, so that it can be repeated under other settings. */
  readonly facts: Facts | null
  /** The settings that the decision used. */
  readonly resumeSettings: ResumeSettings | null
  /** What it was expected to use, before it started; `null`: not known, or a run of an earlier version. */
  readonly estimate: Estimate | null
  /** Tokens of this run alone, by kind. */
  readonly usage: Usage
  /** Tokens in the context after the last request of the main conversation. */
  readonly contextTokens: number | null
  readonly contextWindow: number | null
  /** The cost of this run alone; `null` when it is not known. */
  readonly costUsd: number | null
  /** Where the cost was taken from. */
  readonly costSource: CostSource
  /** The reported cost and the cost by list prices disagree. */
  readonly costDisputed: boolean
  /** An estimate of what a cold start would have cost. */
  readonly savings: Savings | null
  /** Model requests. */
  readonly turns: number
  readonly durationMs: number | null
  readonly queuedAt: number
  readonly startedAt: number | null
  readonly firstEventAt: number | null
  readonly lastEventAt: number | null
  readonly endedAt: number | null
  readonly exit: Exit | null
  /** Why it did not complete; `null` when it did. */
  readonly failure: Failure | null
  /** Fingerprint of the agent that ran. */
  readonly runtime: string | null
  /** What the agent of a tier said at its end. */
  readonly verdict: Verdict | null
  /** What the supervisor of the chain decided when this run ended. */
  readonly chainStep: ChainStep | null
  /** The handover note that a tier got instead of a session. */
  readonly handoverNote: HandoverNote | null
}

/** How many runs there are with this status, decided like this. */
export type RunCount = {
  readonly status: RunStatus
  readonly action: Decision['action'] | null
  readonly runs: number
}
