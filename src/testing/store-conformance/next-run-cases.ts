// What a store must do when a turn goes on in another run.
import assert from 'node:assert/strict'
import { refusesWith, storeCase } from './case.ts'
import { sampleChain } from './chain-samples.ts'
import { enlistOf, sampleJob } from './job-cases.ts'
import {
  claimedLease,
  LEASE_MS,
  OTHER_OWNER,
  OWNER,
  sampleEnd,
  sampleFailure,
  sampleMessage,
  sampleStart,
  sampleThread,
  sampleTurn,
  started,
  submitted,
} from './samples.ts'

export const NEXT_RUN_CASES = [
  storeCase(
    'T-8 F-2 gives the next run of a turn all that its turn was asked with',
    async store => {
      const thread = sampleThread()
      await store.createThread(thread, [])
      const turn = sampleTurn(thread.id, { freshSession: true, questions: 'ask' })
      const asked = { instructions: 'In French.', limits: { budgetUsd: 2 } }
      const run = await store.submitTurn({ ...turn, ...asked }, 1_500)
      const lease = await claimedLease(store, run.id)
      await store.startRun(lease, sampleStart(run.id))
      await store.endRun(lease, sampleFailure(run, { next: { runId: 'run_after' } }))
      assert.equal(await store.instructionsOf('run_after'), 'In French.')
      assert.deepEqual(await store.limitsOf('run_after'), { budgetUsd: 2 })
      const [first, next] = [await store.run(run.id), await store.run('run_after')]
      for (const key of Object.keys(turn.run) as (keyof typeof turn.run)[]) {
        if (key !== 'id') assert.deepEqual(next?.[key], first?.[key], key)
      }
    },
  ),

  storeCase('F-2 the next run of a turn is of the same chain, tier and job', async store => {
    const { run, lease } = await store.startChain(sampleChain(), LEASE_MS)
    assert.ok(run && lease)
    await store.startRun(lease, sampleStart(run.id))
    await store.endRun(lease, sampleFailure(run, { next: { runId: 'run_tier' } }))
    const tier = await store.run('run_tier')
    assert.deepEqual([tier?.chainId, tier?.tier], [run.chainId, 1])
    const job = sampleJob()
    await store.submitJob(job, enlistOf(job))
    const turn = { ...sampleTurn(job.threadId), job: { id: job.id, attempt: 1 } }
    const attempt = await store.submitTurn(turn, 1_500)
    const held = await claimedLease(store, attempt.id)
    await store.startRun(held, sampleStart(attempt.id))
    await store.endRun(held, sampleFailure(attempt, { next: { runId: 'run_attempt' } }))
    assert.equal((await store.run('run_attempt'))?.jobId, job.id)
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase(
    'F-2 the next run of a turn keeps its place in the queue and a request to cancel it',
    async store => {
      const before = await submitted(store)
      const { run, lease } = await started(store)
      const after = await submitted(store)
      await store.requestCancel(run.id, 2_000)
      await store.endRun(lease, sampleFailure(run, { next: { runId: 'run_next' } }))
      const open = (await store.openRuns()).map(({ run }) => run.id)
      assert.deepEqual(open, [before.run.id, 'run_next', after.run.id])
      assert.deepEqual(await store.renewLease(lease, LEASE_MS), { cancelRequested: true })
    },
  ),

  storeCase('I2 refuses a late write for a run that has handed its lease on', async store => {
    const { run, lease, session } = await started(store)
    await store.endRun(lease, sampleFailure(run, { next: { runId: 'run_next' } }))
    const event = { at: 1, type: 'text', json: '{}' }
    await refusesWith('lease-lost', () => store.appendEvents(lease, run.id, [event]))
    await refusesWith('lease-lost', () => store.announceSession(lease, run.id, session))
    await refusesWith('lease-lost', () => store.recordKill(lease, run.id, 'silent'))
    assert.equal((await store.run(run.id))?.status, 'failed')
  }),

  storeCase('F-2 continues the turn in another run under the same lease', async store => {
    const { threadId, run, turn, lease } = await started(store)
    const waiting = await submitted(store, threadId)
    await store.endRun(lease, sampleFailure(run, { next: { runId: 'run_next' } }))
    const next = await store.run('run_next')
    assert.ok(next !== null)
    assert.equal(next.parentRunId, run.id)
    assert.equal(next.attempt, 2)
    assert.equal(next.promptMessageId, turn.message.id)
    assert.equal((await store.run(run.id))?.continuedBy, next.id)
    const claim = await store.claimTurn(waiting.run.id, OTHER_OWNER, LEASE_MS)
    assert.deepEqual(claim, { state: 'busy', holder: next.id })
    await store.startRun(lease, sampleStart(next.id))
    assert.deepEqual(await store.branch(threadId), [turn.message])
    await store.endRun(lease, sampleEnd(next))
    assert.equal((await store.branch(threadId)).length, 2)
    assert.equal((await store.claimTurn(waiting.run.id, OWNER, LEASE_MS)).state, 'claimed')
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('F-2 knows the next run even when nobody lived to ask for it', async store => {
    const { run, lease } = await started(store)
    await store.endRun(lease, sampleFailure(run, { next: { runId: 'run_n' } }))
    const open = await store.openRuns()
    assert.deepEqual(
      open.map(({ run, owner }) => [run.id, run.status, owner]),
      [['run_n', 'queued', OWNER]],
    )
  }),

  storeCase(
    'F-2 a turn that continues in another run stays before the turns that wait',
    async store => {
      const { threadId, run, lease } = await started(store)
      const waiting = await submitted(store, threadId)
      assert.equal(await store.firstInLine(threadId), run.id)
      await store.endRun(lease, sampleFailure(run, { next: { runId: 'run_n' } }))
      assert.deepEqual(
        (await store.openRuns()).map(open => open.run.id),
        ['run_n', waiting.run.id],
      )
      assert.equal(await store.firstInLine(threadId), 'run_n')
      await store.startRun(lease, sampleStart('run_n'))
      await store.endRun(lease, sampleEnd({ id: 'run_n', agent: run.agent }))
      assert.equal(await store.firstInLine(threadId), waiting.run.id)
      await store.requestCancel(waiting.run.id, 4_000)
      assert.equal(await store.firstInLine(threadId), null)
    },
  ),

  storeCase('W-2 V-4 a run gets its prompt after it took the thread', async store => {
    const thread = sampleThread({ title: null })
    await store.createThread(thread, [])
    const run = await store.submitTurn(sampleTurn(thread.id), 1_500)
    const lease = await claimedLease(store, run.id)
    const message = sampleMessage({ text: 'what the caller wants', runId: run.id })
    await store.givePrompt(lease, run.id, { message, title: 'what the caller' })
    await store.startRun(lease, sampleStart(run.id))
    assert.deepEqual(await store.branch(thread.id), [message])
    assert.equal((await store.thread(thread.id))?.title, 'what the caller')
    await refusesWith('conflict', () =>
      store.givePrompt(lease, run.id, { message, title: 'too late' }),
    )
    assert.equal((await store.thread(thread.id))?.title, 'what the caller')
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('W-2 V-4 the next turn of a process keeps its lease', async store => {
    const { run, lease } = await started(store)
    const waits = await store.submitTurn(sampleTurn(run.threadId ?? ''), 2_000)
    const message = sampleMessage({ text: 'and then' })
    await store.endRun(lease, sampleEnd(run, { nextTurn: { runId: 'run_turn', message } }))
    const next = await store.run('run_turn')
    assert.deepEqual(
      [next?.status, next?.promptMessageId, next?.parentRunId, next?.attempt],
      ['queued', message.id, null, 1],
    )
    assert.equal((await store.run(run.id))?.continuedBy, null)
    const claim = await store.claimTurn(waits.id, OTHER_OWNER, LEASE_MS)
    assert.deepEqual(claim, { state: 'busy', holder: 'run_turn' })
    await store.startRun(lease, sampleStart('run_turn'))
    assert.equal((await store.branch(run.threadId ?? '')).at(-1)?.text, 'and then')
    assert.deepEqual(await store.verify(), [])
  }),
]
