// Events that the store itself writes, in the transaction that makes them true: why a turn waits, which run continues it, its end.
import assert from 'node:assert/strict'
import type { ChainStep } from '../../core/chain/supervise.ts'
import { queuedEvent } from '../../core/run/run-events.ts'
import type { Store } from '../../store/contract/store.ts'
import { storeCase } from './case.ts'
import { sampleChain, turnFor } from './chain-samples.ts'
import { asking, sampleQuestion, sampleReply } from './question-cases.ts'
import {
  claimed,
  LEASE_MS,
  sampleEnd,
  sampleFailure,
  sampleStart,
  sampleTurn,
  started,
} from './samples.ts'

const NO_SLOT = { code: 'no-slot', running: 4, max: 4 } as const

async function bodies(store: Store, runId: string): Promise<readonly Record<string, unknown>[]> {
  const events = await store.events(runId, 0, 100)
  return events.map(({ json }) => JSON.parse(json) as Record<string, unknown>)
}

export const EVENT_CASES = [
  storeCase('a turn that has to wait is stored with its `queued` event', async store => {
    const { run, lease, threadId } = await started(store)
    const behind = queuedEvent({ code: 'thread-busy', runId: run.id })
    const second = sampleTurn(threadId)
    await store.submitTurn(second, 1_700)
    assert.deepEqual(await bodies(store, second.run.id), [behind])
    const third = sampleTurn(threadId)
    assert.equal((await store.submitAndClaim(third, 1_800, LEASE_MS)).lease, null)
    assert.deepEqual(await bodies(store, third.run.id), [behind])
    // A busy thread is the first reason.
    const fourth = sampleTurn(threadId)
    await store.submitTurn(fourth, 1_900, NO_SLOT)
    assert.deepEqual(await bodies(store, fourth.run.id), [behind])
    assert.equal((await store.run(fourth.run.id))?.firstEventAt, null)
    await store.endRun(lease, sampleEnd(run))
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase(
    'a chain that has to wait for a slot says so, and one that begins does not',
    async store => {
      const { run: waits } = await store.startChain(sampleChain(), null, NO_SLOT)
      assert.deepEqual(await bodies(store, waits?.id ?? ''), [queuedEvent(NO_SLOT)])
      const { run: begins } = await store.startChain(sampleChain(), LEASE_MS)
      assert.deepEqual(await bodies(store, begins?.id ?? ''), [])
    },
  ),

  storeCase('`ended` is the last event, and names the run that continues the turn', async store => {
    const { run, lease } = await started(store)
    const event = { at: 2_900, type: 'fallback', json: '{"type":"fallback"}' }
    const next = { runId: 'run_next' }
    const failed = sampleFailure(run, { next, events: [event] })
    await store.endRun(lease, failed)
    const { status, failure } = failed
    assert.deepEqual(await bodies(store, run.id), [
      { type: 'fallback' },
      { type: 'ended', status, failure, continuedBy: 'run_next' },
    ])
    await store.startRun(lease, sampleStart('run_next'))
    await store.endRun(lease, sampleEnd({ ...run, id: 'run_next' }))
    assert.deepEqual(await bodies(store, 'run_next'), [
      { type: 'ended', status: 'completed', failure: null, continuedBy: null },
    ])
  }),

  storeCase('the decision of the supervisor comes before the end of its run', async store => {
    const { chain, run, lease } = await store.startChain(sampleChain(), LEASE_MS)
    assert.ok(run && lease)
    await store.startRun(lease, sampleStart(run.id))
    const step: ChainStep = { kind: 'enter', tier: 2, because: { code: 'approved', tier: 2 } }
    const supervise = () => ({ step, next: turnFor(step, chain, { parentRunId: run.id }) })
    await store.endRun(lease, sampleEnd(run, { supervise }))
    const next = (await store.runsOfChain(chain.id))[1]
    assert.ok(next)
    const words = 'a person approved tier 2 → tier 2'
    assert.deepEqual(await bodies(store, run.id), [
      { type: 'supervised', step, nextRunId: next.id, words },
      { type: 'ended', status: 'completed', failure: null, continuedBy: next.id },
    ])
    assert.equal((await store.run(run.id))?.continuedBy, next.id)
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase(
    'a question and its answer are stored in this order, whichever arrives first',
    async store => {
      const { run, lease } = await asking(store)
      const asked = { at: 2_500, type: 'question', json: '{"type":"question"}' }
      await store.askQuestion(lease, run.id, sampleQuestion(), [asked])
      await store.answerQuestion(run.id, 'toolu_1', sampleReply())
      const types = (await store.events(run.id, 0, 10)).map(({ type }) => type)
      assert.deepEqual(types, ['question', 'answer'])
    },
  ),

  storeCase(
    'a run that was answered after its process ended names the run that continues it',
    async store => {
      const { run, lease } = await asking(store)
      await store.endRun(lease, sampleEnd(run, { parked: sampleQuestion({ delivery: 'parked' }) }))
      assert.deepEqual(await bodies(store, run.id), [])
      const reply = { ...sampleReply(), noSlot: NO_SLOT }
      await store.answerQuestion(run.id, 'toolu_1', reply)
      const events = await bodies(store, run.id)
      assert.deepEqual(events.at(-1), {
        type: 'ended',
        status: 'completed',
        failure: null,
        continuedBy: reply.runId,
      })
      assert.deepEqual(await bodies(store, reply.runId), [queuedEvent(NO_SLOT)])
    },
  ),

  storeCase('a run keeps what recovery needs of its start', async store => {
    const { run, lease } = await claimed(store)
    assert.equal(await store.startOf(run.id), null)
    const mark = { path: '/sessions/1.jsonl', sizeBytes: 12, costUsd: 0.5 }
    await store.startRun(lease, sampleStart(run.id, { mark, answerTo: 'toolu_1' }))
    assert.deepEqual(await store.startOf(run.id), { mark, answerTo: 'toolu_1' })
  }),
]
