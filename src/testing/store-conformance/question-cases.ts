// What a store must do with questions: each is asked once, closed once, and kept when the process that asked has died.
import assert from 'node:assert/strict'
import { permissionRule } from '../../core/calls/permission-rule.ts'
import type { Failure } from '../../core/run/run.ts'
import type { NewQuestion, Reply } from '../../store/contract/questions.ts'
import type { Store } from '../../store/contract/store.ts'
import { refusesWith, storeCase } from './case.ts'
import {
  claimedLease,
  OWNER,
  sampleAnswer,
  sampleEnd,
  sampleFailure,
  sampleMessage,
  sampleSession,
  sampleSessionChange,
  sampleStart,
  sampleThread,
  sampleTurn,
  submitted,
} from './samples.ts'

const ID = 'toolu_1'
const LATE: Failure = { ...sampleFailureOf('unanswered') }

export const QUESTION_CASES = [
  storeCase(
    'a run waits while a question is open, and continues when it is answered',
    async store => {
      const { run, lease } = await asking(store)
      await store.askQuestion(lease, run.id, sampleQuestion())
      await store.askQuestion(lease, run.id, sampleQuestion({ toolUseId: 'toolu_2' }))
      assert.equal((await store.run(run.id))?.status, 'waiting')
      await store.answerQuestion(run.id, ID, sampleReply())
      assert.equal((await store.run(run.id))?.status, 'waiting')
      const after = await store.answerQuestion(run.id, 'toolu_2', sampleReply('toolu_2'))
      assert.deepEqual([after.status, after.continuedBy], ['running', null])
      const [first] = await store.questions({ runId: run.id, limit: 10 })
      assert.deepEqual([first?.state, first?.answer, first?.closedAt], ['answered', ALLOW, 4_000])
      const types = (await store.events(run.id, 0, 10)).map(({ type }) => type)
      assert.deepEqual(types, ['answer', 'answer'])
    },
  ),

  storeCase(
    'what may be allowed for the run is kept with the question and its answer',
    async store => {
      const { run, lease } = await asking(store)
      const rule = permissionRule({ kind: 'command', tool: 'Bash', value: 'ls' })
      await store.askQuestion(lease, run.id, sampleQuestion({ rule }))
      await store.askQuestion(lease, run.id, sampleQuestion({ toolUseId: 'toolu_2' }))
      const [first, second] = await store.questions({ runId: run.id, limit: 10 })
      assert.deepEqual([first?.rule, second?.rule], [rule, undefined])
      const answer = { kind: 'allow', forRun: { rule, by: 'user' } } as const
      await store.answerQuestion(run.id, ID, { ...sampleReply(), answer })
      const [answered] = await store.questions({ runId: run.id, toolUseId: ID, limit: 1 })
      assert.deepEqual(answered?.answer, answer)
      const [event] = await store.events(run.id, 0, 10)
      assert.deepEqual(JSON.parse(event?.json ?? '{}').answer, answer)
    },
  ),

  storeCase('a question is answered once, by its own id, and in time', async store => {
    const { run, lease } = await asking(store)
    await store.askQuestion(lease, run.id, sampleQuestion({ expiresAt: 5_000 }))
    const other = () => store.answerQuestion(run.id, 'toolu_9', sampleReply('toolu_9'))
    await refusesWith('conflict', other)
    const late = { ...sampleReply(), at: 5_000 }
    await refusesWith('conflict', () => store.answerQuestion(run.id, ID, late))
    await store.answerQuestion(run.id, ID, sampleReply())
    await refusesWith('conflict', () => store.answerQuestion(run.id, ID, sampleReply()))
    assert.equal(await store.expireQuestion(run.id, ID, { failure: LATE, at: 9_000 }), false)
  }),

  storeCase('says what is wrong with an answer that comes too late or to nobody', async store => {
    const { run, lease } = await asking(store)
    await store.askQuestion(lease, run.id, sampleQuestion({ expiresAt: 5_000 }))
    const answer = (toolUseId: string, at: number) => () =>
      store.answerQuestion(run.id, toolUseId, { ...sampleReply(toolUseId), at })
    await refusesWith('conflict', answer('toolu_9', 4_000), 'asks nothing as toolu_9')
    await refusesWith('conflict', answer(ID, 5_000), 'is already expired')
    await answer(ID, 4_999)()
    await refusesWith('conflict', answer(ID, 4_999), 'is already answered')
  }),

  storeCase('a live question that expires lets its run go on without an answer', async store => {
    const { run, lease } = await asking(store)
    const question = sampleQuestion({ expiresAt: 5_000, items: [] })
    await store.askQuestion(lease, run.id, question)
    await store.askQuestion(lease, run.id, { ...question, input: 'asked again' })
    const stored = await store.questions({ runId: run.id, limit: 9 })
    assert.deepEqual(
      stored.map(({ input, answer, closedAt }) => [input, answer, closedAt]),
      [[question.input, null, null]],
    )
    const late = async (expiredAt: number) =>
      (await store.questions({ expiredAt, limit: 9 })).map(({ toolUseId }) => toolUseId)
    assert.deepEqual([await late(4_999), await late(5_000)], [[], [ID]])
    const expire = (id: string) => store.expireQuestion(run.id, id, { failure: LATE, at: 5_000 })
    assert.equal(await expire('toolu_9'), false)
    assert.equal(await expire(ID), true)
    assert.equal((await store.run(run.id))?.status, 'running')
    const [closed] = await store.questions({ runId: run.id, limit: 9 })
    assert.deepEqual([closed?.state, closed?.answer, closed?.closedAt], ['expired', null, 5_000])
    assert.equal((await store.events(run.id, 0, 9)).at(-1)?.type, 'answer')
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('the reply to one of several kept questions closes the others', async store => {
    const { run, lease, threadId } = await asking(store)
    for (const toolUseId of [ID, 'toolu_2'])
      await store.askQuestion(lease, run.id, sampleQuestion({ toolUseId }))
    await store.endRun(lease, sampleFailure(run, { status: 'interrupted' }))
    const reply = sampleReply()
    await store.answerQuestion(run.id, ID, reply)
    const states = await store.questions({ runId: run.id, limit: 9 })
    assert.deepEqual(
      states.map(({ state, closedAt }) => [state, closedAt]),
      [
        ['answered', 4_000],
        ['cancelled', 4_000],
      ],
    )
    assert.equal(await store.threadOfMessage(reply.message.id), threadId)
  }),

  storeCase(
    'a run that waited ends with the model of its session; its reply runs on what was asked for',
    async store => {
      for (const asked of [null, 'asked-for']) {
        const { run, lease, session } = await asking(store, { model: asked })
        await store.askQuestion(lease, run.id, sampleQuestion())
        const change = { ...sampleSessionChange(session.id), model: 'the-one' }
        const broken = sampleFailure(run, { status: 'interrupted', session: change })
        await store.endRun(lease, { ...broken, model: 'the-one' })
        assert.equal((await store.run(run.id))?.model, asked)
        const { continuedBy } = await store.answerQuestion(run.id, ID, sampleReply())
        assert.equal((await store.run(run.id))?.model, asked ?? 'the-one')
        assert.equal((await store.run(continuedBy ?? ''))?.model, asked)
      }
    },
  ),

  storeCase('a kept question that was not parked leaves its session as it is', async store => {
    const { run, lease, session } = await asking(store)
    await store.askQuestion(lease, run.id, sampleQuestion({ expiresAt: 5_000 }))
    const change = sampleSessionChange(session.id)
    await store.endRun(lease, sampleFailure(run, { status: 'interrupted', session: change }))
    assert.ok(await store.expireQuestion(run.id, ID, { failure: LATE, at: 5_000 }))
    assert.equal((await store.session(session.id))?.pointer, 'confirmed')
    const ended = await store.run(run.id)
    assert.deepEqual([ended?.status, ended?.failure], ['interrupted', LATE])
  }),

  storeCase(
    'T-7a answers of a failed run that had no answer are repeated, each once',
    async store => {
      const { run, lease, threadId } = await asking(store)
      for (const toolUseId of [ID, 'toolu_2']) {
        await store.askQuestion(lease, run.id, sampleQuestion({ toolUseId }))
        await store.answerQuestion(run.id, toolUseId, sampleReply(toolUseId))
      }
      const how = { restatedId: 'msg_restated' } as const
      await store.endRun(lease, sampleFailure(run, how))
      const last = (await store.branch(threadId)).at(-1)
      assert.equal(last?.id, 'msg_restated')
      assert.equal(last?.text.split('You may.').length, 3)
      assert.equal(last?.text.split('\n\n').length, 2)
      const other = await asking(store)
      await store.endRun(other.lease, sampleFailure(other.run, { restatedId: 'msg_none' }))
      assert.equal(await store.message('msg_none'), null)
    },
  ),

  storeCase(
    'a parked call keeps its run waiting, held by nobody and in front of all',
    async store => {
      const { run, lease, threadId } = await asking(store)
      await store.endRun(lease, sampleEnd(run, { parked: sampleQuestion({ delivery: 'parked' }) }))
      const waiting = await store.run(run.id)
      assert.deepEqual(
        [waiting?.status, waiting?.endedAt, waiting?.costUsd],
        ['waiting', null, 0.25],
      )
      assert.deepEqual(await store.openRuns(), [])
      assert.deepEqual(await store.verify(), [])
      const next = await submitted(store, threadId)
      assert.equal((await store.claimTurn(next.run.id, OWNER, 1_000)).state, 'busy')
      const reply = sampleReply()
      const asked = await store.answerQuestion(run.id, ID, reply)
      assert.deepEqual([asked.status, asked.continuedBy], ['completed', reply.runId])
      assert.equal((await store.claimTurn(next.run.id, OWNER, 1_000)).state, 'busy')
      const answering = await store.run(reply.runId)
      assert.deepEqual(
        [answering?.parentRunId, answering?.repliesTo, answering?.promptMessageId],
        [run.id, ID, reply.message.id],
      )
      assert.deepEqual([answering?.questions, answering?.attempt], ['ask', 1])
      const replied = await claimedLease(store, reply.runId)
      await store.startRun(replied, sampleStart(reply.runId))
      await store.endRun(replied, sampleEnd({ id: reply.runId, agent: run.agent }))
      await claimedLease(store, next.run.id)
      assert.equal((await store.events(run.id, 0, 10)).at(-1)?.type, 'ended')
    },
  ),

  storeCase('F-2 a reply whose session was refused is sent again as a reply', async store => {
    const { run, lease } = await asking(store)
    await store.endRun(lease, sampleEnd(run, { parked: sampleQuestion({ delivery: 'parked' }) }))
    const reply = sampleReply()
    await store.answerQuestion(run.id, ID, reply)
    const replied = await claimedLease(store, reply.runId)
    await store.startRun(replied, sampleStart(reply.runId))
    const { agent } = run
    const next = { runId: 'run_again' }
    await store.endRun(replied, sampleFailure({ id: reply.runId, agent }, { next }))
    const again = await store.run('run_again')
    assert.deepEqual([again?.repliesTo, again?.promptMessageId], [ID, reply.message.id])
    assert.deepEqual([again?.parentRunId, again?.attempt], [reply.runId, 2])
  }),

  storeCase(
    'an interrupted run with an open question waits; an answer ends it as interrupted',
    async store => {
      const { run, lease } = await asking(store)
      await store.askQuestion(lease, run.id, sampleQuestion())
      const { failure } = sampleFailure(run)
      await store.endRun(lease, sampleEnd(run, { status: 'interrupted', failure }))
      const [kept] = await store.questions({ state: 'open', limit: 10 })
      assert.deepEqual([kept?.delivery, (await store.run(run.id))?.status], ['restated', 'waiting'])
      const asked = await store.answerQuestion(run.id, ID, sampleReply())
      assert.deepEqual([asked.status, asked.failure], ['interrupted', failure])
      assert.deepEqual(await store.verify(), [])
    },
  ),

  storeCase('an interrupted run whose question was answered has ended', async store => {
    const { run, lease } = await asking(store)
    await store.askQuestion(lease, run.id, sampleQuestion())
    await store.answerQuestion(run.id, ID, sampleReply())
    await store.endRun(lease, sampleFailure(run, { status: 'interrupted' }))
    assert.equal((await store.run(run.id))?.status, 'interrupted')
  }),

  storeCase(
    'an answer that the run did not act on becomes a message of the thread when the run is interrupted (T-7a)',
    async store => {
      const { run, lease, threadId } = await asking(store)
      for (const toolUseId of [ID, 'toolu_2', 'toolu_3']) {
        await store.askQuestion(lease, run.id, sampleQuestion({ toolUseId }))
        if (toolUseId === 'toolu_3') continue
        await store.answerQuestion(run.id, toolUseId, sampleReply(toolUseId))
      }
      const done = { id: 'toolu_2', name: 'Bash', input: '{}', result: 'done', isError: false }
      const answer = { ...sampleAnswer(run), tools: [done, { ...done, id: ID, result: null }] }
      const how = { status: 'interrupted', answer, restatedId: 'msg_restated' } as const
      await store.endRun(lease, sampleFailure(run, how))
      const last = (await store.branch(threadId)).at(-1)
      assert.deepEqual([last?.id, last?.role, last?.runId], ['msg_restated', 'user', run.id])
      assert.equal(last?.text.split('You may.').length, 2)
      const kept = await store.questions({ runId: run.id, limit: 10 })
      assert.deepEqual(
        kept.map(({ state, delivery }) => [state, delivery]),
        [
          ['answered', 'restated'],
          ['answered', 'live'],
          ['open', 'restated'],
        ],
      )
      const restated = await store.questions({
        runId: run.id,
        restatedIn: last?.hash ?? '',
        limit: 10,
      })
      assert.deepEqual(
        restated.map(({ toolUseId }) => toolUseId),
        [ID],
      )
      assert.deepEqual(await store.verify(), [])
    },
  ),

  storeCase('the call at which a run was parked is found among its events', async store => {
    const { run, lease } = await asking(store)
    assert.equal(await store.parkedCall(run.id), null)
    const call = { toolUseId: ID, kind: 'permission', tool: 'Bash', input: '{}', items: [] }
    const asked = ['toolu_0', ID].map((toolUseId, at) => ({
      at,
      type: 'question',
      json: JSON.stringify({ type: 'question', ...call, toolUseId, requestId: null }),
    }))
    const text = { at: 2, type: 'text', json: '{"type":"text"}' }
    await store.appendEvents(lease, run.id, [...asked, text])
    const parked = await store.parkedCall(run.id)
    assert.deepEqual([parked?.toolUseId, parked?.tool], [ID, 'Bash'])
  }),

  storeCase(
    'the answer to a run that was cancelled or completed is not repeated in the thread',
    async store => {
      for (const status of ['cancelled', 'completed'] as const) {
        const { run, lease, threadId } = await asking(store)
        await store.askQuestion(lease, run.id, sampleQuestion())
        await store.answerQuestion(run.id, ID, sampleReply())
        await store.endRun(lease, sampleEnd(run, { status, restatedId: 'msg_restated' }))
        assert.equal((await store.branch(threadId)).at(-1)?.role, 'assistant')
      }
    },
  ),

  storeCase(
    'a parked run that is cancelled, or whose time is over, ends; its session is retired',
    async store => {
      for (const way of ['cancel', 'expire']) {
        const { run, lease, session } = await asking(store)
        const question = sampleQuestion({ delivery: 'parked', expiresAt: 5_000 })
        const change = sampleSessionChange(session.id)
        await store.endRun(lease, sampleEnd(run, { parked: question, session: change }))
        assert.equal(await store.expireQuestion(run.id, ID, { failure: LATE, at: 4_999 }), false)
        if (way === 'cancel') assert.equal(await store.requestCancel(run.id, 6_000), 'waiting')
        else assert.ok(await store.expireQuestion(run.id, ID, { failure: LATE, at: 5_000 }))
        const [status, state] = way === 'cancel' ? ['cancelled'] : ['interrupted', 'expired']
        assert.equal((await store.run(run.id))?.status, status)
        const [closed] = await store.questions({ runId: run.id, limit: 1 })
        assert.equal(closed?.state, state ?? status)
        const retired = await store.session(session.id)
        assert.deepEqual(retired?.retiredBecause, { code: 'left-asking' })
        assert.deepEqual(await store.verify(), [])
      }
    },
  ),

  storeCase(
    'a session whose parked call is answered elsewhere is retired with the start of that run',
    async store => {
      const { run, lease, session } = await asking(store)
      const parked = sampleQuestion({ delivery: 'parked' })
      await store.endRun(
        lease,
        sampleEnd(run, { parked, session: sampleSessionChange(session.id) }),
      )
      const reply = sampleReply()
      await store.answerQuestion(run.id, ID, reply)
      const replied = await claimedLease(store, reply.runId)
      await store.startRun(replied, sampleStart(reply.runId, { leftAsking: session.id }))
      const retired = await store.session(session.id)
      assert.deepEqual(retired?.retiredBecause, { code: 'left-asking' })
    },
  ),

  storeCase('a run that ends otherwise leaves no question open', async store => {
    const { run, lease } = await asking(store)
    await store.askQuestion(lease, run.id, sampleQuestion())
    await store.endRun(lease, sampleEnd(run, { status: 'cancelled', answer: null }))
    assert.deepEqual(await store.questions({ state: 'open', limit: 10 }), [])
    assert.deepEqual(await store.verify(), [])
  }),
]

const ALLOW = { kind: 'allow' } as const

export async function asking(store: Store, { model = 'sonnet' }: { model?: string | null } = {}) {
  const thread = sampleThread()
  await store.createThread(thread, [])
  const turn = sampleTurn(thread.id, { questions: 'ask', model })
  const run = await store.submitTurn(turn, 1_500)
  const lease = await claimedLease(store, run.id)
  const session = sampleSession(thread.id)
  await store.startRun(lease, sampleStart(run.id, { newSession: session, model }))
  return { run, lease, session, threadId: thread.id }
}

export function sampleQuestion(change: Partial<NewQuestion> = {}): NewQuestion {
  return {
    toolUseId: ID,
    kind: 'permission',
    tool: 'Bash',
    input: '{"command":"ls"}',
    items: [],
    delivery: 'live',
    askedAt: 2_500,
    expiresAt: 90_000,
    ...change,
  }
}

export function sampleReply(toolUseId = ID): Reply {
  const message = sampleMessage({ role: 'user', agent: null, text: 'yes' })
  const runId = message.id.replace('msg', 'run')
  return { toolUseId, answer: ALLOW, at: 4_000, runId, message, owner: OWNER }
}

function sampleFailureOf(class_: Failure['class']): Failure {
  return { class: class_, message: 'nobody answered', hint: 'say it', toolsRan: 0, resetsAt: null }
}
