// What a job does after an attempt: finish, retry now or later, start afresh, or stop. Facts in, step out.

import type { FailureClass } from '../run/run.ts'
import type { Backoff, JobPolicy } from './job-policy.ts'

/** An attempt that is over. */
export type Attempt = {
  readonly outcome: 'completed' | FailureClass
  readonly endedAt: number
  /** When a usage limit ends, where the agent said so. */
  readonly resetsAt: number | null
  /** It continued a session. */
  readonly resumed: boolean
  /** It added an answer, or a part of one, to the session. */
  readonly progressed: boolean
  readonly toolsRan: number
  readonly costUsd: number
}

export type RetryFacts = {
  /** The attempts in order; the last one has just ended. */
  readonly attempts: readonly Attempt[]
  readonly dueAt: number
  readonly now: number
  /** A random number from 0 to 1, for the jitter. */
  readonly random: number
}

export type StopReason =
  | { readonly code: 'not-retried'; readonly class: FailureClass }
  | { readonly code: 'attempts-used'; readonly class: FailureClass; readonly max: number }
  | { readonly code: 'waits-used'; readonly class: FailureClass; readonly max: number }
  | { readonly code: 'budget-used'; readonly spentUsd: number; readonly budgetUsd: number }
  | { readonly code: 'deadline'; readonly at: number }
  /** A person has to resolve them first. */
  | { readonly code: 'conflicts'; readonly detail: string }
  /** No attempt could even be stored: no agent, no work dir. */
  | { readonly code: 'not-started'; readonly message: string; readonly hint: string }
  | { readonly code: 'waited-too-long'; readonly queueTimeoutMs: number }
  /** It failed before an attempt was recorded, and the engine has stopped to hand it out. */
  | { readonly code: 'given-up'; readonly error: string }
  | { readonly code: 'side-effects'; readonly class: FailureClass; readonly toolsRan: number }

export type RetryReason =
  | { readonly code: 'interrupted'; readonly class: FailureClass }
  | { readonly code: 'outside'; readonly class: FailureClass; readonly inARow: number }
  | { readonly code: 'limit-resets'; readonly resetsAt: number }
  /** No attempt could even be stored: no agent, no work dir. Both may come back soon. */
  | {
      readonly code: 'not-started'
      readonly message: string
      readonly hint: string
      readonly inARow: number
    }
  | { readonly code: 'session-suspect'; readonly class: FailureClass }
  | { readonly code: 'resumes-fruitless'; readonly count: number; readonly max: number }

export type JobStep =
  | { readonly do: 'finish' }
  | { readonly do: 'cancel' }
  | {
      readonly do: 'retry'
      /** `parked`: a usage limit says when; `waiting`: the policy does. */
      readonly while: 'waiting' | 'parked'
      readonly at: number
      /** `resume` as far as the decision allows it; `fresh` without the session, but with what is done. */
      readonly how: 'resume' | 'fresh'
      readonly reason: RetryReason
    }
  /** `failed`: a retry cannot help. `dead`: a retry may help, but only a person starts it. */
  | { readonly do: 'stop'; readonly as: 'failed' | 'dead'; readonly reason: StopReason }

/** Spreads the jobs that wait for the end of the same limit. */
const MAX_AFTER_RESET_MS = 60_000
/** A limit without a reset time does not end within seconds. */
const UNKNOWN_RESET_MS = 15 * 60_000

type Treatment = 'stop' | 'stop-unless-resumed' | 'again' | 'outside' | 'limit' | 'cancel'

/** A class without its treatment does not compile. */
export const TREATMENTS: Readonly<Record<FailureClass, Treatment>> = {
  cancelled: 'cancel',
  auth: 'stop',
  credit: 'stop',
  budget: 'stop',
  'policy-violation': 'stop',
  refusal: 'stop',
  'model-not-found': 'stop',
  'spawn-failed': 'stop',
  'not-continued': 'stop',
  // The API may reject the content of a session. Without a session, it rejects the request itself.
  'bad-request': 'stop-unless-resumed',
  'too-long': 'stop-unless-resumed',
  'resume-refused': 'again',
  'anchor-missing': 'again',
  'max-turns': 'again',
  'agent-crashed': 'again',
  'no-result': 'again',
  'no-first-event': 'again',
  silent: 'again',
  'too-slow': 'again',
  'output-limit': 'again',
  unknown: 'again',
  'rate-limit': 'outside',
  overload: 'outside',
  network: 'outside',
  'server-error': 'outside',
  'supervisor-died': 'outside',
  shutdown: 'outside',
  unanswered: 'stop',
  'usage-limit': 'limit',
}

export function nextStep(facts: RetryFacts, policy: JobPolicy): JobStep {
  const last = facts.attempts.at(-1)
  if (!last) throw new TypeError('no attempt has ended yet')
  if (last.outcome === 'completed') return { do: 'finish' }
  const class_ = last.outcome
  const treatment = TREATMENTS[class_]
  if (treatment === 'cancel') return { do: 'cancel' }
  const { toolsRan } = sumOf(facts.attempts)
  if (class_ === 'not-continued' && toolsRan > 0) {
    return dead({ code: 'side-effects', class: class_, toolsRan })
  }
  const stopped = mustStop(facts, policy, class_)
  if (stopped) return stopped
  const retry = retryOf({ facts, policy, last, class_ })
  const deadline = deadlineOf(facts, policy)
  if (retry.at >= deadline) return dead({ code: 'deadline', at: deadline })
  if (retry.how === 'fresh' && toolsRan > 0 && policy.onSideEffects === 'stop') {
    return dead({ code: 'side-effects', class: class_, toolsRan })
  }
  return retry
}

export type StartFacts = {
  readonly message: string
  readonly hint: string
  /** Starts that failed, this one included, since the last attempt. */
  readonly inARow: number
  readonly how: Retry['how']
  readonly dueAt: number
  readonly now: number
  readonly random: number
}

/** An agent that is being updated, or a disk that is not mounted yet, is back after some seconds. */
const MAX_FAILED_STARTS = 5
const START_BACKOFF: Backoff = { firstMs: 1_000, factor: 2, maxMs: 60_000, jitter: 0.2 }

/** The step after an attempt that could not be started. */
export function stepAfterFailedStart(facts: StartFacts, policy: JobPolicy): JobStep {
  const { message, hint, inARow, how, now, random } = facts
  if (inARow > MAX_FAILED_STARTS) {
    return { do: 'stop', as: 'failed', reason: { code: 'not-started', message, hint } }
  }
  const at = now + pauseOf(START_BACKOFF, inARow, random)
  const deadline = deadlineOf(facts, policy)
  if (at >= deadline) return dead({ code: 'deadline', at: deadline })
  const reason = { code: 'not-started', message, hint, inARow } as const
  return { do: 'retry', while: 'waiting', at, how, reason }
}

function mustStop(facts: RetryFacts, policy: JobPolicy, class_: FailureClass): JobStep | null {
  const { attempts } = facts
  const resumed = attempts.at(-1)?.resumed ?? false
  const treatment = TREATMENTS[class_]
  if (treatment === 'stop' || (treatment === 'stop-unless-resumed' && !resumed)) {
    return { do: 'stop', as: 'failed', reason: { code: 'not-retried', class: class_ } }
  }
  const { costUsd: spentUsd } = sumOf(attempts)
  const { budgetUsd, maxAttempts, maxWaits } = policy
  if (budgetUsd !== null && spentUsd >= budgetUsd) {
    return { do: 'stop', as: 'failed', reason: { code: 'budget-used', spentUsd, budgetUsd } }
  }
  const waits = attempts.filter(isOutside).length
  if (attempts.length - waits >= maxAttempts) {
    return dead({ code: 'attempts-used', class: class_, max: maxAttempts })
  }
  return waits >= maxWaits ? dead({ code: 'waits-used', class: class_, max: maxWaits }) : null
}

type Situation = {
  readonly facts: RetryFacts
  readonly policy: JobPolicy
  readonly last: Attempt
  readonly class_: FailureClass
}

type Retry = Extract<JobStep, { do: 'retry' }>

function retryOf({ facts, policy, last, class_ }: Situation): Retry {
  const how = howToGoOn(facts, policy, class_)
  const { now, random } = facts
  const inARow = fruitlessInARow(facts.attempts)
  const pauseMs = pauseOf(policy.backoff, Math.max(1, inARow), random)
  if (TREATMENTS[class_] === 'limit') {
    const afterReset = last.resetsAt !== null && last.resetsAt > now
    const at = afterReset
      ? (last.resetsAt ?? now) + Math.round(random * MAX_AFTER_RESET_MS)
      : now + Math.max(pauseMs, Math.min(UNKNOWN_RESET_MS, policy.backoff.maxMs))
    const reason: RetryReason = afterReset
      ? { code: 'limit-resets', resetsAt: last.resetsAt ?? now }
      : { code: 'outside', class: class_, inARow }
    return { do: 'retry', while: 'parked', at, how: how.how, reason }
  }
  if (TREATMENTS[class_] === 'outside') {
    const reason: RetryReason = { code: 'outside', class: class_, inARow }
    // After our own restart the job continues at once, unless restarts repeat.
    const isFirstRestart = class_ === 'supervisor-died' && inARow <= 1
    const at = isFirstRestart || class_ === 'shutdown' ? now : now + pauseMs
    return { do: 'retry', while: 'waiting', at, how: how.how, reason }
  }
  return { do: 'retry', while: 'waiting', at: now + pauseMs, ...how }
}

function howToGoOn(
  { attempts }: RetryFacts,
  { resume, maxFruitlessResumes: max }: JobPolicy,
  class_: FailureClass,
): Pick<Retry, 'how' | 'reason'> {
  const count = fruitlessResumes(attempts)
  if (count >= max) return { how: 'fresh', reason: { code: 'resumes-fruitless', count, max } }
  if (TREATMENTS[class_] === 'stop-unless-resumed') {
    return { how: 'fresh', reason: { code: 'session-suspect', class: class_ } }
  }
  const how = resume === 'never' ? 'fresh' : 'resume'
  return { how, reason: { code: 'interrupted', class: class_ } }
}

/** Counted since the last progress or fresh start. Failures from outside do not count against the session. */
function fruitlessResumes(attempts: readonly Attempt[]): number {
  const since = attempts.findLastIndex(attempt => attempt.progressed || !attempt.resumed)
  return attempts.slice(since + 1).filter(attempt => !isOutside(attempt)).length
}

/** Attempts without progress, whatever the cause. The pauses grow with their number. */
function fruitlessInARow(attempts: readonly Attempt[]): number {
  return attempts.length - 1 - attempts.findLastIndex(attempt => attempt.progressed)
}

function isOutside({ outcome }: Attempt): boolean {
  return outcome !== 'completed' && countsAsWait(outcome)
}

/** Nothing of the job's own doing ended the attempt: it counts as a wait, not as one of its attempts. */
export function countsAsWait(failure: FailureClass): boolean {
  return ['outside', 'limit'].includes(TREATMENTS[failure])
}

export function pauseOf(backoff: Backoff, inARow: number, random: number): number {
  const { firstMs, factor, maxMs, jitter } = backoff
  const pauseMs = Math.min(maxMs, firstMs * factor ** (inARow - 1))
  return Math.round(pauseMs * (1 - jitter + 2 * jitter * random))
}

function deadlineOf({ dueAt }: Pick<RetryFacts, 'dueAt'>, { totalTimeoutMs }: JobPolicy): number {
  return totalTimeoutMs === null ? Number.POSITIVE_INFINITY : dueAt + totalTimeoutMs
}

function sumOf(attempts: readonly Attempt[]): { toolsRan: number; costUsd: number } {
  return {
    toolsRan: attempts.reduce((sum, attempt) => sum + attempt.toolsRan, 0),
    costUsd: attempts.reduce((sum, attempt) => sum + attempt.costUsd, 0),
  }
}

function dead(reason: StopReason): JobStep {
  return { do: 'stop', as: 'dead', reason }
}
