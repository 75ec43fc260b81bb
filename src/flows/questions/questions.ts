// Makes stored questions of the events by which agents ask.

import type { Question } from '../../core/conversation/question.ts'
import type { QuestionEvent } from '../../core/run/events.ts'
import type { Failure } from '../../core/run/run.ts'
import type { NewQuestion } from '../../store/contract/questions.ts'
import type { Store } from '../../store/contract/store.ts'
import { redactedQuestion } from '../turn/event-log.ts'

export async function questionOf(
  store: Store,
  { runId, toolUseId }: { readonly runId: string; readonly toolUseId: string },
): Promise<Question | null> {
  const [question] = await store.questions({ runId, toolUseId, limit: 1 })
  return question ?? null
}

type Asking = {
  readonly askedAt: number
  readonly expireAfterMs: number
  /** Values of the agent's environment that nobody must see. */
  readonly secrets: readonly string[]
}

export function newQuestion(
  event: QuestionEvent,
  { askedAt, expireAfterMs, secrets }: Asking,
): NewQuestion {
  const { type: _, requestId, ...call } = redactedQuestion(event, secrets)
  const delivery = requestId === null ? 'parked' : 'live'
  return { ...call, delivery, askedAt, expiresAt: askedAt + expireAfterMs }
}

export function unanswered(): Failure {
  return {
    class: 'unanswered',
    message: 'the agent asked something that nobody answered in time',
    hint: 'Say what you want in the next message: `reprise send -t`.',
    toolsRan: 0,
    resetsAt: null,
  }
}
