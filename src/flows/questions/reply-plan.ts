// Plans a run that brings an answer: to the call at which the session waits, or else in the prompt.

import type { PermissionRule } from '../../core/calls/permission-rule.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { Question } from '../../core/conversation/question.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Decision } from '../../core/decide/decision.ts'
import type { Run } from '../../core/run/run.ts'
import type { Store } from '../../store/contract/store.ts'
import { mustExist } from '../must-exist.ts'
import { questionOf } from './questions.ts'

const MOST_RESTATED = 1_000

export type ReplyPlan = {
  /** Permissions that the asking process did not live to use: each is valid for the same call of this run. */
  readonly granted: readonly Question[]
  /** What the answer that this run brings allows for the run. A permission for an earlier run has ended with that run. */
  readonly allowed: readonly PermissionRule[]
  /** Set when the session waits at the answered call: the run sends only the answer, to that call. */
  readonly parked: Question | null
  /** Our id of a session that must no longer be resumed: it waits at the call whose answer goes to another session. */
  readonly leftAsking: string | null
}

export async function planReply(
  store: Store,
  run: Run,
  decided: {
    readonly decision: Decision
    readonly source: Session | null
    readonly view: readonly Message[]
  },
): Promise<ReplyPlan> {
  const { decision, source, view } = decided
  const answered = await answeredQuestion(store, run)
  const restated = await restatedBefore(store, view)
  const granted = (answered ? [answered, ...restated] : restated).filter(wasAllowed)
  const plan: ReplyPlan = { granted, allowed: allowedBy(answered), parked: null, leftAsking: null }
  if (answered?.delivery !== 'parked') return plan
  const isThere = decision.action === 'resume' && source && decision.catchUpFrom === view.length
  if (isThere) return { ...plan, parked: answered }
  return { ...plan, leftAsking: await askingSession(store, answered) }
}

function wasAllowed({ answer }: Question): boolean {
  return answer?.kind === 'allow'
}

function allowedBy(answered: Question | null): readonly PermissionRule[] {
  const answer = answered?.answer
  return answer?.kind === 'allow' && answer.forRun ? [answer.forRun.rule] : []
}

/** Answers that the last message before the prompt repeats, because their run did not live to act on them. */
async function restatedBefore(
  store: Store,
  view: readonly Message[],
): Promise<readonly Question[]> {
  const last = view.at(-1)
  if (last?.role !== 'user' || last.runId === null) return []
  return store.questions({ runId: last.runId, restatedIn: last.hash, limit: MOST_RESTATED })
}

async function answeredQuestion(store: Store, run: Run): Promise<Question | null> {
  const { parentRunId: runId, repliesTo: toolUseId } = run
  if (runId === null || toolUseId === null) return null
  const parent = await mustExist(store.run(runId), `run ${runId}`)
  // If the agent refused the session of a reply, another run of the same turn sends the reply again.
  if (parent.repliesTo === toolUseId) return answeredQuestion(store, parent)
  return questionOf(store, { runId, toolUseId })
}

/** Our id of the session that waits at the call. */
async function askingSession(store: Store, { runId }: Question): Promise<string | null> {
  const { sessionId, threadId } = await mustExist(store.run(runId), `run ${runId}`)
  if (sessionId === null || threadId === null) return null
  const [session] = await store.sessions({ threadId, sessionId })
  return session?.id ?? null
}
