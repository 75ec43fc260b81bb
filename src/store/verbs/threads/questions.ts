// Questions of agents: asked once, closed once. A question whose process is gone keeps its run `waiting`, without a lease.

import type { PermissionRule } from '../../../core/calls/permission-rule.ts'
import { type Message, userMessage } from '../../../core/conversation/messages.ts'
import type {
  Answer,
  AskedCall,
  Question,
  QuestionDelivery,
  QuestionState,
} from '../../../core/conversation/question.ts'
import { lateReplyText } from '../../../core/conversation/question.ts'
import { isLatestFirst } from '../../../core/conversation/question-list.ts'
import type { Failure, RunStatus } from '../../../core/run/run.ts'
import { type EndStatus, endedEvent } from '../../../core/run/run-events.ts'
import type { NewEvent } from '../../../core/run/stored-events.ts'
import { RepriseError } from '../../../errors.ts'
import type { Lease } from '../../contract/leases.ts'
import type { NewQuestion, QuestionVerbs, Reply } from '../../contract/questions.ts'
import type { RunEnd } from '../../contract/runs.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { lockThreadOfRun } from '../../sql/locks.ts'
import { allOf, equal, firstOf, insertRows, rowsOf, updateRow } from '../../sql/plain-sql.ts'
import { jsonColumn, ownerText, runOf } from '../../sql/rows.ts'
import type { EventRow, QuestionRow, RunRow } from '../../sql/schema.ts'
import { join, sql } from '../../sql/statement.ts'
import { appendEvents, newEvent } from '../runs/events.ts'
import { continueIn } from '../runs/follow-up-run.ts'
import { leaseOn, requireLease, threadResource } from '../runs/leases.ts'
import { existingRunRow } from '../runs/runs.ts'
import { noteWaiting } from '../runs/turns.ts'
import { storeMessages } from './branches.ts'
import { retireAsking } from './sessions.ts'

/** More questions than an agent asks in a turn. */
const MOST_OF_A_RUN = 1_000

type Closing = { readonly state: Exclude<QuestionState, 'open'>; readonly at: number }

export function questionVerbs(database: Database): QuestionVerbs {
  return {
    askQuestion: (lease, runId, question, events = []) =>
      write(database, tx => ask(tx, lease, { runId, question, events })),

    questions: async query => (await questionRows(database, query)).map(questionOf),

    async countQuestions(state) {
      const row = await firstOf(
        database,
        sql<{ questions: number }>`
          select count(*) as questions
          from questions
          where ${allOf(equal<'questions'>({ state }))}
        `,
      )
      return row?.questions ?? 0
    },

    async parkedCall(runId) {
      const row = await firstOf(
        database,
        sql<Pick<EventRow, 'json'>>`
          select json
          from events
          where run_id = ${runId}
          and type = 'question'
          order by seq desc
          limit 1
        `,
      )
      // The event log writes a question with the fields of its call.
      return row === undefined ? null : (JSON.parse(row.json) as AskedCall)
    },

    answerQuestion: (runId, toolUseId, reply) =>
      write(database, async tx => {
        await lockThreadOfRun(tx, runId)
        const question = await openQuestion(tx, { runId, toolUseId, at: reply.at })
        await close(tx, question, { state: 'answered', at: reply.at }, reply.answer)
        const run = await existingRunRow(tx, runId)
        if (question.delivery === 'live') await goOn(tx, run)
        else await replyIn(tx, run, reply)
        return runOf(await existingRunRow(tx, runId))
      }),

    expireQuestion: (runId, toolUseId, { failure, at }) =>
      write(database, async tx => {
        await lockThreadOfRun(tx, runId)
        const question = await questionRow(tx, runId, toolUseId)
        if (question?.state !== 'open' || question.expires_at > at) return false
        const run = await existingRunRow(tx, runId)
        if (question.delivery !== 'live') {
          await endUnanswered(tx, run, { status: 'interrupted', failure, at })
          return true
        }
        await close(tx, question, { state: 'expired', at })
        await goOn(tx, run)
        return true
      }),
  }
}

function questionRows(tx: Sql, query: Parameters<QuestionVerbs['questions']>[0]) {
  const { runId, toolUseId, state, restatedIn, expiredAt, after, limit } = query
  const conditions = [
    ...equal<'questions'>({
      run_id: runId,
      tool_use_id: toolUseId,
      state,
      restated_hash: restatedIn,
    }),
  ]
  if (expiredAt !== undefined) conditions.push(sql`expires_at <= ${expiredAt}`)
  const isLatest = isLatestFirst(state)
  if (after !== undefined) {
    const place = sql`(${after.at}, ${after.runId}, ${after.toolUseId})`
    conditions.push(
      isLatest
        ? sql`(closed_at, run_id, tool_use_id) < ${place}`
        : sql`(asked_at, run_id, tool_use_id) > ${place}`,
    )
  }
  return rowsOf(
    tx,
    sql<QuestionRow>`
      select *
      from questions
      where ${allOf(conditions)}
      order by ${isLatest ? LATEST_FIRST : OLDEST_FIRST}
      limit ${limit}
    `,
  )
}

const LATEST_FIRST = sql`closed_at desc, run_id desc, tool_use_id desc`
const OLDEST_FIRST = sql`asked_at, run_id, tool_use_id`

async function ask(
  tx: Sql,
  lease: Lease,
  asked: {
    readonly runId: string
    readonly question: NewQuestion
    readonly events: readonly NewEvent[]
  },
): Promise<void> {
  const { runId, question, events } = asked
  await requireLease(tx, lease, runId)
  await appendEvents(tx, runId, events)
  await insertQuestion(tx, runId, question)
  await setStatus(tx, runId, 'waiting')
}

export async function insertQuestion(tx: Sql, runId: string, question: NewQuestion) {
  // If the same process asks again, it is the same question.
  const otherwise = sql`on conflict (run_id, tool_use_id) do nothing`
  await insertRows(tx, { table: 'questions', otherwise }, [
    {
      run_id: runId,
      tool_use_id: question.toolUseId,
      kind: question.kind,
      tool: question.tool,
      input: question.input,
      items: JSON.stringify(question.items),
      rule: jsonColumn(question.rule ?? null),
      state: 'open',
      delivery: question.delivery,
      answer: null,
      asked_at: question.askedAt,
      expires_at: question.expiresAt,
      closed_at: null,
    },
  ])
}

/** The process is gone, so answers cannot go to its input: a prompt will bring them. Gives whether any question is open. */
export async function keepOpenQuestions(tx: Sql, runId: string): Promise<boolean> {
  await tx.execute(sql`
    update questions
    set delivery = 'restated'
    where run_id = ${runId}
    and state = 'open'
    and delivery = 'live'
  `)
  return (await questionRows(tx, { runId, state: 'open', limit: 1 })).length > 0
}

/** Gives the message that repeats the answers to calls without a result. */
export async function restateAnswers(tx: Sql, end: RunEnd): Promise<Message | null> {
  const { runId, restatedId: id, endedAt: createdAt } = end
  if (id === null) return null
  const rows = await questionRows(tx, { runId, state: 'answered', limit: MOST_OF_A_RUN })
  const done = new Set(end.answer?.tools.flatMap(call => (call.result === null ? [] : call.id)))
  const unrestated = rows.map(questionOf).flatMap(({ answer, ...asked }) => {
    if (asked.delivery !== 'live' || done.has(asked.toolUseId) || answer === null) return []
    return { toolUseId: asked.toolUseId, text: lateReplyText(asked, answer) }
  })
  if (unrestated.length === 0) return null
  const text = unrestated.map(one => one.text).join('\n\n')
  const message = userMessage({ id, text, runId, createdAt })
  await tx.execute(sql`
    update questions
    set delivery = 'restated', restated_hash = ${message.hash}
    where run_id = ${runId}
    and tool_use_id in (${join(unrestated.map(({ toolUseId }) => toolUseId))})
  `)
  return message
}

/** Closes the open questions. Gives whether the session waits at one of them. */
export async function dropQuestions(tx: Sql, runId: string, closing: Closing): Promise<boolean> {
  const open = await questionRows(tx, { runId, state: 'open', limit: MOST_OF_A_RUN })
  for (const question of open) await close(tx, question, closing)
  return open.some(question => question.delivery === 'parked')
}

/** A parked run has no process and no lease; only an answer, a cancel or time ends its wait. */
export async function isParked(tx: Sql, run: RunRow): Promise<boolean> {
  if (run.status !== 'waiting') return false
  const held = await leaseOn(tx, threadResource(run.thread_id ?? ''))
  return held?.run_id !== run.id
}

type Ending = {
  readonly status: Extract<RunStatus, 'cancelled' | 'interrupted'>
  readonly failure: Failure
  readonly at: number
}

/** Retires a session that waits at a call: it would continue with the call, whatever the next prompt says. */
export async function endUnanswered(tx: Sql, run: RunRow, ending: Ending): Promise<void> {
  const { at, status } = ending
  const state = status === 'interrupted' ? 'expired' : 'cancelled'
  const wasParked = await dropQuestions(tx, run.id, { state, at })
  if (wasParked) await retireAsking(tx, { agent: run.agent, session_id: run.session_id ?? '' })
  await endParked(tx, run, { ...ending, continuedBy: null })
}

/** The reply takes the place of the run that asked, so no other turn comes between. */
async function replyIn(tx: Sql, run: RunRow, reply: Reply): Promise<void> {
  await dropQuestions(tx, run.id, { state: 'cancelled', at: reply.at })
  await storeMessages(tx, run.thread_id ?? '', [reply.message])
  const failure = run.failure === null ? null : (JSON.parse(run.failure) as Failure)
  const status = failure === null ? 'completed' : 'interrupted'
  await endParked(tx, run, { status, failure, at: reply.at, continuedBy: reply.runId })
  await continueIn(tx, {
    from: run,
    runId: reply.runId,
    at: reply.at,
    reply: {
      attempt: run.attempt,
      prompt_message_id: reply.message.id,
      replies_to: reply.toolUseId,
      owner: ownerText(reply.owner),
      cancel_requested: 0,
    },
  })
  const { at, noSlot } = reply
  await noteWaiting(tx, await existingRunRow(tx, reply.runId), { at, noSlot })
}

async function endParked(
  tx: Sql,
  run: RunRow,
  end: {
    readonly status: EndStatus
    readonly failure: Failure | null
    readonly at: number
    readonly continuedBy: string | null
  },
): Promise<void> {
  const { status, failure, at, continuedBy } = end
  const change = { status, failure: jsonColumn(failure), ended_at: at }
  const model = run.model ?? (await modelOfSession(tx, run))
  await updateRow(tx, { table: 'runs', id: run.id }, { ...change, model })
  await appendEvents(tx, run.id, [newEvent(at, endedEvent({ status, failure, continuedBy }))])
}

/** While a run waits, its model is the one that was asked for, if any. */
async function modelOfSession(
  tx: Sql,
  { agent, thread_id, session_id }: RunRow,
): Promise<string | null> {
  if (session_id === null) return null
  const row = await firstOf(
    tx,
    sql<{ model: string | null }>`
      select model
      from sessions
      where ${allOf(equal<'sessions'>({ agent, thread_id: thread_id ?? '', session_id }))}
    `,
  )
  return row?.model ?? null
}

async function close(
  tx: Sql,
  question: QuestionRow,
  { state, at }: Closing,
  answer: Answer | null = null,
): Promise<void> {
  const { run_id: runId, tool_use_id: id } = question
  await tx.execute(sql`
    update questions
    set state = ${state}, closed_at = ${at}, answer = ${jsonColumn(answer)}
    where run_id = ${runId}
    and tool_use_id = ${id}
  `)
  await appendEvents(tx, runId, [newEvent(at, { type: 'answer', id, state, answer })])
}

/** A live run goes on when none of its questions is open any more. */
async function goOn(tx: Sql, run: RunRow): Promise<void> {
  const [open] = await questionRows(tx, { runId: run.id, state: 'open', limit: 1 })
  if (open === undefined && run.status === 'waiting') await setStatus(tx, run.id, 'running')
}

async function setStatus(tx: Sql, runId: string, status: RunStatus): Promise<void> {
  await updateRow(tx, { table: 'runs', id: runId }, { status })
}

async function openQuestion(
  tx: Sql,
  { runId, toolUseId, at }: { runId: string; toolUseId: string; at: number },
): Promise<QuestionRow> {
  const question = await questionRow(tx, runId, toolUseId)
  if (question === undefined) {
    const hint = `Run \`reprise runs show ${runId}\` to see what it asks: each question is answered by its own id.`
    throw new RepriseError('conflict', `run ${runId} asks nothing as ${toolUseId}`, hint)
  }
  if (question.state === 'open' && question.expires_at > at) return question
  const state = question.state === 'open' ? 'expired' : question.state
  throw new RepriseError(
    'conflict',
    `question ${toolUseId} of run ${runId} is already ${state}`,
    'Say it in the next message: run `reprise send -t` with the id of the thread.',
  )
}

async function questionRow(tx: Sql, runId: string, toolUseId: string) {
  const [row] = await questionRows(tx, { runId, toolUseId, limit: 1 })
  return row
}

function questionOf(row: QuestionRow): Question {
  return {
    runId: row.run_id,
    toolUseId: row.tool_use_id,
    kind: row.kind as Question['kind'],
    tool: row.tool,
    input: row.input,
    items: JSON.parse(row.items) as Question['items'],
    ...(row.rule !== null && { rule: JSON.parse(row.rule) as PermissionRule }),
    state: row.state as QuestionState,
    delivery: row.delivery as QuestionDelivery,
    answer: row.answer === null ? null : (JSON.parse(row.answer) as Answer),
    askedAt: row.asked_at,
    expiresAt: row.expires_at,
    closedAt: row.closed_at,
  }
}
