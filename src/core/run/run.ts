// The record of one execution of an agent program.

import type { HandoverNote } from '../chain/handover-note.ts'
import type { ChainStep } from '../chain/supervise.ts'
import type { Verdict } from '../chain/verdict.ts'
import type { Decision, Facts } from '../decide/decision.ts'
import type { ResumeSettings } from '../decide/settings.ts'
import type { Usage } from './events.ts'
import type { Failure } from './failure.ts'
import type { SandboxKind, SandboxMode } from './sandbox.ts'
import type { Trust } from './trust.ts'

export type { Failure, FailureClass } from './failure.ts'

export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'completed'
  | 'failed'
  | 'interrupted'
  | 'cancelled'

/** Not over yet. */
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

export type Exit = {
  readonly code: number | null
  readonly signal: string | null
  readonly endedBy: KillReason | null
  /** The last part of stderr, bounded. */
  readonly stderr: string
  /** A process that outlived the agent held its output; it was cut off. */
  readonly outputCut: boolean
}

export type CostSource = 'reported' | 'session-delta' | 'since-last-result' | 'per-message' | 'none'

export type Savings = {
  readonly coldInputTokens: number
  readonly coldCostUsd: number
  readonly savedUsd: number
  readonly estimate: true
}

/** What one turn may use; nothing is said about what is not there. */
export type TurnLimits = { readonly maxTurns?: number; readonly budgetUsd?: number }

export type Run = {
  readonly id: string
  readonly agent: string
  readonly model: string | null
  readonly status: RunStatus
  readonly threadId: string | null
  readonly chainId: string | null
  readonly jobId: string | null
  readonly tier: number | null
  readonly attempt: number
  readonly parentRunId: string | null
  /** The run that took this one's turn over after a refused resume. */
  readonly continuedBy: string | null
  readonly promptMessageId: string | null
  readonly answerMessageId: string | null
  readonly workDir: string
  readonly permissionMode: string
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  /** Whose settings take part. */
  readonly trust: Trust
  /** What was asked for to hold its processes, and what does; `null` until it has started. */
  readonly sandboxWanted: SandboxMode
  readonly sandbox: SandboxKind | null
  /** Why `auto` came to `none`. */
  readonly sandboxNote: string | null
  readonly freshSession: boolean
  /** Whether the agent may ask the user, or is refused at once. */
  readonly questions: 'ask' | 'none'
  /** The call of the parent run that this run's prompt answers. */
  readonly repliesTo: string | null
  /** Session id of the agent; `null` until announced. */
  readonly sessionId: string | null
  readonly sessionConfirmedAt: number | null
  readonly sessionResumed: boolean
  readonly decision: Decision | null
  /** What the decision saw, so that it can be asked again under other settings. */
  readonly facts: Facts | null
  readonly resumeSettings: ResumeSettings | null
  readonly usage: Usage
  readonly contextTokens: number | null
  readonly contextWindow: number | null
  readonly costUsd: number | null
  readonly costSource: CostSource
  readonly costDisputed: boolean
  readonly savings: Savings | null
  readonly turns: number
  readonly durationMs: number | null
  readonly queuedAt: number
  readonly startedAt: number | null
  readonly firstEventAt: number | null
  readonly lastEventAt: number | null
  readonly endedAt: number | null
  readonly exit: Exit | null
  readonly failure: Failure | null
  readonly runtime: string | null
  /** What the agent of a tier said at its end. */
  readonly verdict: Verdict | null
  /** What the supervisor of the chain decided when this run ended. */
  readonly chainStep: ChainStep | null
  /** The note a tier was given in place of a session. */
  readonly handoverNote: HandoverNote | null
}

/** How many runs there are with this status, decided like this. */
export type RunCount = {
  readonly status: RunStatus
  readonly action: Decision['action'] | null
  readonly runs: number
}
