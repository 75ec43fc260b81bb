// Checks and stores answers to agents' questions, and continues the run, also after the process that asked is gone.

import { userMessage } from '../../core/conversation/messages.ts'
import type { Answer, AskedCall, GivenAnswer, Question } from '../../core/conversation/question.ts'
import { fitAnswer, replyText } from '../../core/conversation/question.ts'
import type { Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { refuseElsewhere } from '../threads/refuse-elsewhere.ts'
import { questionOf, unanswered } from './questions.ts'

/** Gives the run that asked; when its process is gone, `continuedBy` names the run that the caller has to start. */
export async function answerQuestion(
  dependencies: Dependencies,
  { run, toolUseId, given }: { run: Run; toolUseId: string; given: GivenAnswer },
): Promise<Run> {
  const question = await askedQuestion(dependencies, run, toolUseId)
  const fitted = fitAnswer(question, given)
  if (!fitted.fits) throw new RepriseError('conflict', fitted.why, fitted.hint)
  // The process of a live question goes on itself, wherever it is; a parked call goes on in this process.
  const thread = question.delivery === 'live' ? null : await threadOf(dependencies, run)
  if (thread) await refuseElsewhere(dependencies, thread)
  return storeAnswer(dependencies, run.id, { asked: question, answer: fitted.answer })
}

async function threadOf({ store }: Dependencies, { threadId }: Run) {
  return threadId === null ? null : store.thread(threadId)
}

/** Throws `conflict` when somebody else was faster. Wakes all questions of the run that wait in this process. */
export async function storeAnswer(
  dependencies: Dependencies,
  askingRunId: string,
  { asked, answer }: { readonly asked: AskedCall; readonly answer: Answer },
): Promise<Run> {
  const { store, live, clock, random, owner } = dependencies
  const at = clock.now()
  const runId = random.id('run')
  const text = replyText(asked, answer)
  const message = userMessage({ id: random.id('msg'), text, runId, createdAt: at })
  const noSlot = live.slots.waitReason()
  const { toolUseId } = asked
  const reply = { toolUseId, answer, at, runId, message, owner, ...(noSlot && { noSlot }) }
  const after = await store.answerQuestion(askingRunId, toolUseId, reply)
  live.answers.wake(askingRunId)
  return after
}

async function askedQuestion(
  dependencies: Dependencies,
  run: Run,
  toolUseId: string,
): Promise<Question> {
  const question = await questionOf(dependencies.store, { runId: run.id, toolUseId })
  if (question) return question
  const open = await dependencies.store.questions({ runId: run.id, state: 'open', limit: 10 })
  const ids = open.map(({ toolUseId: id }) => id).join(', ')
  throw new RepriseError(
    'conflict',
    `run ${run.id} asks nothing as ${toolUseId.slice(0, 200)}`,
    open.length > 0 ? `It waits for an answer to ${ids}.` : `It is ${run.status} and asks nothing.`,
  )
}

const EXPIRED_AT_ONCE = 100

/** Expires late questions whose process is gone: their runs end, and their threads are free again. */
export async function expireQuestions({ store, clock }: Dependencies): Promise<void> {
  const at = clock.now()
  const late = await store.questions({ state: 'open', expiredAt: at, limit: EXPIRED_AT_ONCE })
  for (const { runId, toolUseId, delivery } of late) {
    // The process of a live question expires it itself.
    if (delivery === 'live') continue
    await store.expireQuestion(runId, toolUseId, { failure: unanswered(), at })
  }
}
