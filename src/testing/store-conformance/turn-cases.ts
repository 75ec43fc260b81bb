// What a store must do with turns: the queue, the claim, the fence, the end.
import assert from 'node:assert/strict'
import { refusesWith, storeCase } from './case.ts'
import {
  claimed,
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

export const TURN_CASES = [
  storeCase('stores prompt and queued run together; the branch waits (I1)', async store => {
    const { threadId, run, turn } = await submitted(store)
    assert.equal(run.status, 'queued')
    assert.equal(run.promptMessageId, turn.message.id)
    assert.deepEqual(run.allowedTools, ['Read'])
    assert.deepEqual(await store.run(run.id), run)
    assert.deepEqual(await store.message(turn.message.id), turn.message)
    assert.deepEqual(await store.branch(threadId), [])
  }),

  storeCase('keeps the instructions of a queued run', async store => {
    const { threadId } = await submitted(store)
    const turn = { ...sampleTurn(threadId), instructions: 'be brief' }
    await store.submitTurn(turn, 1_600)
    assert.equal(await store.instructionsOf(turn.run.id), 'be brief')
  }),

  storeCase('T-8 a thread keeps its instructions until a turn brings others', async store => {
    const { threadId } = await submitted(store)
    const inForce = async (given: { instructions?: string }) => {
      const turn = { ...sampleTurn(threadId), ...given }
      await store.submitTurn(turn, 1_600)
      const thread = await store.thread(threadId)
      return [await store.instructionsOf(turn.run.id), thread?.instructions ?? null]
    }
    assert.deepEqual(await inForce({}), [null, null])
    assert.deepEqual(await inForce({ instructions: 'be brief' }), ['be brief', 'be brief'])
    assert.deepEqual(await inForce({}), ['be brief', 'be brief'])
    assert.deepEqual(await inForce({ instructions: '' }), [null, null])
    assert.deepEqual(await inForce({}), [null, null])
    const [listed] = await store.listThreads({ limit: 1 })
    assert.equal(listed && 'instructions' in listed, false)
  }),

  storeCase('E-12 S16 keeps the trust of a run and what holds its processes', async store => {
    const thread = sampleThread()
    await store.createThread(thread, [])
    const turn = sampleTurn(thread.id, { trust: 'user', sandboxWanted: 'auto' })
    const run = await store.submitTurn(turn, 1_600)
    const lease = await claimedLease(store, run.id)
    assert.deepEqual([run.trust, run.sandboxWanted, run.sandbox], ['user', 'auto', null])
    const held = { sandbox: 'none', sandboxNote: 'bwrap is not installed' } as const
    await store.startRun(lease, sampleStart(run.id, held))
    const next = 'run_of_same_turn'
    await store.endRun(lease, sampleFailure(run, { next: { runId: next } }))
    const first = await store.run(run.id)
    assert.deepEqual([first?.sandbox, first?.sandboxNote], ['none', 'bwrap is not installed'])
    assert.deepEqual([first?.process, first?.processRunId], ['new', first?.id])
    const second = await store.run(next)
    assert.deepEqual(
      [second?.trust, second?.sandboxWanted, second?.sandbox],
      ['user', 'auto', null],
    )
  }),

  storeCase('keeps the limits of a queued run, also none', async store => {
    const { threadId, run } = await submitted(store)
    const limits = { maxTurns: 3, budgetUsd: 0.5 }
    const turn = { ...sampleTurn(threadId), limits }
    await store.submitTurn(turn, 1_600)
    assert.deepEqual(await store.limitsOf(turn.run.id), limits)
    assert.deepEqual(await store.limitsOf(run.id), {})
  }),

  storeCase('stores a turn together with the branch that it continues (I1)', async store => {
    const [kept, dropped] = [sampleMessage({ text: 'kept' }), sampleMessage({ text: 'dropped' })]
    const thread = sampleThread()
    await store.createThread(thread, [kept, dropped])
    const expected = [kept.id, dropped.id]
    const branch = { threadId: thread.id, branchId: 'brn_cut', expected, messages: [kept] }
    const turn = { ...sampleTurn(thread.id), branch }
    const { run, lease } = await store.submitAndClaim(turn, 1_600, LEASE_MS)
    assert.notEqual(lease, null)
    assert.deepEqual(await store.branch(thread.id), [kept])
    assert.deepEqual(await store.message(run.promptMessageId ?? ''), turn.message)
    const late = { ...sampleTurn(thread.id), branch: { ...branch, branchId: 'brn_late' } }
    await refusesWith('busy', () => store.submitTurn(late, 1_700))
    assert.equal(await store.message(late.message.id), null)
  }),

  storeCase(
    'refuses a turn whose branch has changed meanwhile, and keeps both out',
    async store => {
      const message = sampleMessage()
      const thread = sampleThread()
      await store.createThread(thread, [message])
      const branch = { threadId: thread.id, branchId: 'brn_cut', expected: [], messages: [] }
      const turn = { ...sampleTurn(thread.id), branch }
      await refusesWith('conflict', () => store.submitAndClaim(turn, 1_600, LEASE_MS))
      assert.deepEqual(await store.branch(thread.id), [message])
      assert.equal(await store.run(turn.run.id), null)
    },
  ),

  storeCase('refuses a turn with a branch of its own while another waits', async store => {
    const { threadId } = await submitted(store)
    const branch = { threadId, branchId: 'brn_cut', expected: [], messages: [] }
    const turn = { ...sampleTurn(threadId), branch }
    await refusesWith('busy', () => store.submitTurn(turn, 1_600))
    assert.equal(await store.run(turn.run.id), null)
  }),

  storeCase('refuses a run id that is taken, and stores nothing of it', async store => {
    const { threadId, run } = await submitted(store)
    const again = sampleTurn(threadId, { id: run.id })
    await refusesWith('conflict', () => store.submitTurn(again, 1_600))
    assert.equal(await store.message(again.message.id), null)
  }),

  storeCase('lets the queue through in the order of arrival', async store => {
    const first = await submitted(store)
    const second = await submitted(store, first.threadId)
    const early = await store.claimTurn(second.run.id, OTHER_OWNER, LEASE_MS)
    assert.deepEqual(early, { state: 'busy', holder: first.run.id })
    const lease = await claimedLease(store, first.run.id)
    const meanwhile = await store.claimTurn(second.run.id, OTHER_OWNER, LEASE_MS)
    assert.deepEqual(meanwhile, { state: 'busy', holder: first.run.id })
    await store.startRun(lease, sampleStart(first.run.id))
    await store.endRun(lease, sampleEnd(first.run))
    const next = await store.claimTurn(second.run.id, OTHER_OWNER, LEASE_MS)
    assert.equal(next.state, 'claimed')
  }),

  storeCase('stores and claims in one step where nobody is before it', async store => {
    const first = await submitted(store)
    const thread = { title: 'named', agent: 'other', workDir: '/elsewhere', host: 'there' }
    const behind = { ...sampleTurn(first.threadId), thread }
    const waits = await store.submitAndClaim(behind, 2_000, LEASE_MS)
    assert.equal(waits.lease, null)
    assert.equal(waits.run.status, 'queued')
    const { title, agent, workDir, host } = (await store.thread(first.threadId)) ?? {}
    assert.deepEqual({ title, agent, workDir, host }, thread)

    await store.requestCancel(first.run.id, 2_100)
    await store.requestCancel(waits.run.id, 2_100)
    const next = sampleTurn(first.threadId)
    const { run, lease } = await store.submitAndClaim(next, 2_200, LEASE_MS)
    assert.ok(lease !== null)
    await store.startRun(lease, sampleStart(run.id))
    assert.equal((await store.run(run.id))?.status, 'running')
  }),

  storeCase('gives a claimed run to nobody else', async store => {
    const { run } = await claimed(store)
    const other = await store.claimTurn(run.id, OTHER_OWNER, LEASE_MS)
    assert.deepEqual(other, { state: 'busy', holder: run.id })
    assert.deepEqual(await store.claimTurn('run_none', OWNER, 1).catch(e => e.code), 'not-found')
  }),

  storeCase('raises the token with every claim, also after a release', async store => {
    const { run, lease } = await claimed(store)
    await store.releaseLease(lease)
    const again = await claimedLease(store, run.id)
    assert.ok(again.token > lease.token)
    await store.releaseLease(lease)
    await store.renewLease(again, LEASE_MS)
  }),

  storeCase('lets another claim a queued run when its claim has expired', async store => {
    const { run } = await submitted(store)
    const late = await store.claimTurn(run.id, OWNER, 0)
    const claim = await store.claimTurn(run.id, OTHER_OWNER, LEASE_MS)
    assert.equal(claim.state, 'claimed')
    assert.ok(late.state === 'claimed')
    await refusesWith('lease-lost', () => store.startRun(late.lease, sampleStart(run.id)))
    assert.equal((await store.run(run.id))?.status, 'queued')
  }),

  storeCase('starts nothing beside a run that is going, however late its lease', async store => {
    const { threadId, run } = await submitted(store)
    const late = await store.claimTurn(run.id, OWNER, 0)
    assert.ok(late.state === 'claimed')
    await store.startRun(late.lease, sampleStart(run.id))
    const next = await submitted(store, threadId)
    const claim = await store.claimTurn(next.run.id, OTHER_OWNER, LEASE_MS)
    assert.deepEqual(claim, { state: 'busy', holder: run.id })
  }),

  storeCase('puts prompt and answer on the branch, each once', async store => {
    const { threadId, run, turn, lease } = await started(store)
    assert.deepEqual(await store.branch(threadId), [turn.message])
    const end = sampleEnd(run)
    await store.endRun(lease, end)
    assert.deepEqual(await store.branch(threadId), [turn.message, end.answer])
    const ended = await store.run(run.id)
    assert.equal(ended?.status, 'completed')
    assert.equal(ended?.answerMessageId, end.answer?.id)
    assert.deepEqual(ended?.exit, end.exit)
    assert.deepEqual(ended?.usage, end.usage)
  }),

  storeCase('keeps decision, facts and settings of a run (C-7, D-7)', async store => {
    const { run, lease } = await claimed(store)
    const start = sampleStart(run.id)
    await store.startRun(lease, start)
    const going = await store.run(run.id)
    assert.equal(going?.status, 'running')
    assert.deepEqual(going?.decision, start.decision)
    assert.deepEqual(going?.facts, start.facts)
    assert.deepEqual(going?.resumeSettings, start.resumeSettings)
    assert.equal(going?.runtime, start.runtime)
    await refusesWith('conflict', () => store.startRun(lease, start))
  }),

  storeCase('ends a run once (I9)', async store => {
    const { threadId, run, lease } = await started(store)
    await store.endRun(lease, sampleEnd(run))
    await refusesWith('conflict', () => store.endRun(lease, sampleFailure(run)))
    assert.equal((await store.run(run.id))?.status, 'completed')
    assert.equal((await store.branch(threadId)).length, 2)
  }),

  storeCase('fences off every write of a lease that was lost (I2)', async store => {
    const { threadId, run, lease, session } = await started(store)
    const taken = await store.takeOver(run.id, OWNER, OTHER_OWNER, LEASE_MS)
    assert.ok(taken !== null && taken.token > lease.token)
    const event = { at: 1, type: 'text', json: '{}' }
    const writes = [
      () => store.renewLease(lease, LEASE_MS),
      () => store.appendEvents(lease, run.id, [event]),
      () => store.announceSession(lease, run.id, session),
      () => store.recordKill(lease, run.id, 'cancelled'),
      () => store.startRun(lease, sampleStart(run.id)),
      () => store.endRun(lease, sampleEnd(run)),
    ]
    for (const write of writes) await refusesWith('lease-lost', write)
    await store.releaseLease(lease)
    const still = await store.run(run.id)
    assert.deepEqual(
      [still?.status, still?.exit, still?.sessionId],
      ['running', null, session.sessionId],
    )
    assert.deepEqual(await store.events(run.id, 0, 10), [])
    assert.equal((await store.branch(threadId)).length, 1)
    await store.endRun(taken, sampleEnd(run))
    await refusesWith('lease-lost', () => store.endRun(lease, sampleEnd(run)))
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('cancels a queued run at once, and says how to send its prompt again', async store => {
    const { run, threadId } = await submitted(store)
    assert.equal(await store.requestCancel(run.id, 2_000), 'queued')
    const ended = await store.run(run.id)
    assert.equal(ended?.status, 'cancelled')
    assert.equal(ended?.failure?.class, 'cancelled')
    const again = `reprise threads retry ${threadId} ${run.promptMessageId}`
    assert.ok(ended?.failure?.hint.includes(again))
    const claim = await store.claimTurn(run.id, OWNER, LEASE_MS)
    assert.deepEqual(claim, { state: 'ended', status: 'cancelled' })
    assert.equal(await store.requestCancel(run.id, 3_000), 'cancelled')
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('informs the holder of a run that it should be cancelled', async store => {
    for (const under of [claimed, started]) {
      const { run, lease } = await under(store)
      assert.deepEqual(await store.renewLease(lease, LEASE_MS), { cancelRequested: false })
      assert.equal(await store.requestCancel(run.id, 2_500), 'running')
      assert.deepEqual(await store.renewLease(lease, LEASE_MS), { cancelRequested: true })
      await store.endRun(lease, sampleEnd(run, { status: 'cancelled', answer: null }))
    }
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('shows the reason of a kill before the process is gone', async store => {
    const { run, lease } = await started(store)
    await store.recordKill(lease, run.id, 'silent')
    await store.recordKill(lease, run.id, 'cancelled')
    assert.equal((await store.run(run.id))?.exit?.endedBy, 'silent')
  }),
]
