// The one event language: what the log of a run holds and what every reader gets, in the library, over HTTP and on the
// command line. Types may be added later: a reader passes by what it does not know.
import { chainStepWords } from '../chain/chain-words.ts'
import type { ChainStep } from '../chain/supervise.ts'
import type { Decision, Reason } from '../decide/decision.ts'
import { reasonWords } from '../decide/explain.ts'
import { redact } from '../secrets/redact.ts'
import type { AgentSaid, AnswerEvent } from './events.ts'
import type { Failure, RunStatus } from './run.ts'
import { type WaitReason, waitWords } from './wait-reason.ts'

/** The turn was stored and has to wait. */
export type QueuedEvent = {
  readonly type: 'queued'
  /** The run that goes first on the thread; `null` when the turn waits for a slot. */
  readonly behind: string | null
  readonly words: string
}

/** The agent is about to be started, in the way that was decided. */
export type StartedEvent = { readonly type: 'started'; readonly decision: Decision }

/** The agent refused its session; the turn goes on in another run, without that session. */
export type FallbackEvent = {
  readonly type: 'fallback'
  readonly nextRunId: string
  readonly words: string
}

/** A run of a chain is over, and its supervisor has decided: another run follows, or `nextRunId` is null. */
export type SupervisedEvent = {
  readonly type: 'supervised'
  readonly step: ChainStep
  readonly nextRunId: string | null
  readonly words: string
}

export type EndStatus = Extract<RunStatus, 'completed' | 'failed' | 'interrupted' | 'cancelled'>

/** The last event of every run. */
export type EndedEvent = {
  readonly type: 'ended'
  readonly status: EndStatus
  readonly failure: Failure | null
  /** The run in which the turn goes on; `null`: the turn is over. */
  readonly continuedBy: string | null
}

/** What was said or done. */
export type EventBody =
  | AgentSaid
  | AnswerEvent
  | QueuedEvent
  | StartedEvent
  | FallbackEvent
  | SupervisedEvent
  | EndedEvent

/** Where an event stands. */
export type EventPlace = {
  readonly runId: string
  /** Counts from 1 without gaps within a run. 0: a client made this notice itself; it is in no log. */
  readonly seq: number
}

/** An event with its place in the log of its run. */
export type RunEvent = EventPlace & {
  /** Milliseconds since 1970. */
  readonly at: number
} & EventBody

export function queuedEvent(reason: WaitReason): QueuedEvent {
  const behind = reason.code === 'thread-busy' ? reason.runId : null
  return { type: 'queued', behind, words: waitWords(reason) }
}

/** What the run after a refused one brings into its new session. */
export type Brings = 'note' | 'written-session' | 'transcript'

export function fallbackEvent(
  refused: Reason,
  next: { readonly runId: string; readonly brings: Brings },
): FallbackEvent {
  const words = `${reasonWords(refused)}; the turn goes on in ${BRINGS_WORDS[next.brings]}`
  return { type: 'fallback', nextRunId: next.runId, words }
}

const BRINGS_WORDS: Record<Brings, string> = {
  note: 'a new session with a handover note',
  'written-session': 'a new session that is written with the conversation so far',
  transcript: 'a new session with the transcript',
}

export function supervisedEvent(step: ChainStep, nextRunId: string | null): SupervisedEvent {
  return { type: 'supervised', step, nextRunId, words: chainStepWords(step) }
}

/** A failure holds the last words of the program, which may have printed secrets: those of known shapes are left out. */
export function endedEvent({ status, failure, continuedBy }: Omit<EndedEvent, 'type'>): EndedEvent {
  const redacted = failure && { ...failure, message: redact(failure.message) }
  return { type: 'ended', status, failure: redacted, continuedBy }
}

const OURS: ReadonlySet<string> = new Set<Exclude<EventBody, AgentSaid>['type']>([
  'queued',
  'started',
  'answer',
  'fallback',
  'supervised',
  'ended',
])

/** Whether it came from the agent, or Reprise itself wrote it. */
export function isSaidByAgent(event: EventBody): event is AgentSaid {
  return !OURS.has(event.type)
}
