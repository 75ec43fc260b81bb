// Details that a user would notice: every field comes back as it was stored, lists can be narrowed, refusals say why.
import assert from 'node:assert/strict'
import type { Runtime } from '../../adapters/adapter.ts'
import { NO_USAGE } from '../../core/run/events.ts'
import { refusesWith, storeCase } from './case.ts'
import { enlistOf, sampleJob } from './job-cases.ts'
import { asking, sampleQuestion } from './question-cases.ts'
import {
  claimed,
  claimedLease,
  LEASE_MS,
  OTHER_OWNER,
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
  started,
  submitted,
} from './samples.ts'

const RUNTIME: Runtime = {
  agent: 'claude-code',
  executable: '/bin/claude',
  version: '2',
  abilities: {
    resume: true,
    fork: true,
    forkAtMessage: true,
    chooseSessionId: true,
    resumeAcrossWorkDirs: false,
  },
  quirks: [],
  warning: null,
  fingerprint: 'f',
}

export const DETAIL_CASES = [
  storeCase('says who works on a run, and what each of its requests has used', async store => {
    const { run, lease } = await started(store)
    const usage = (outputTokens: number) => ({ ...NO_USAGE, outputTokens })
    const reported = [
      ['a', 1],
      ['b', 5],
      ['a', 7],
    ] as const
    for (const [requestId, tokens] of reported) {
      const event = { type: 'usage', requestId, model: 'm', usage: usage(tokens), main: true }
      await store.appendEvents(lease, run.id, [
        { at: 2_000, type: event.type, json: JSON.stringify(event) },
      ])
    }
    const request = { model: 'm', main: true }
    assert.deepEqual(await store.requestsOf(run.id), [
      { ...request, requestId: 'a', usage: usage(7) },
      { ...request, requestId: 'b', usage: usage(5) },
    ])
    const holder = await store.holderOf(run.id)
    assert.deepEqual([holder?.owner, holder?.lease?.token], [OWNER, lease.token])
    assert.ok((holder?.lease?.until ?? 0) > 0)
    await store.endRun(lease, sampleEnd(run))
    assert.deepEqual(await store.holderOf(run.id), { owner: OWNER, lease: null })
    assert.equal(await store.holderOf('run_none'), null)
  }),

  storeCase('keeps what is true and what is false of a run', async store => {
    for (const flag of [true, false]) {
      const thread = sampleThread()
      await store.createThread(thread, [])
      const run = await store.submitTurn(sampleTurn(thread.id, { freshSession: flag }), 1_500)
      const lease = await claimedLease(store, run.id)
      await store.startRun(lease, sampleStart(run.id))
      const answer = { ...sampleAnswer(run), interrupted: flag }
      const end = { sessionResumed: flag, costDisputed: flag, answer, sessionId: 'sid', model: 'm' }
      await store.endRun(lease, sampleEnd(run, end))
      const after = await store.run(run.id)
      assert.deepEqual(
        [after?.freshSession, after?.sessionResumed, after?.costDisputed],
        [flag, flag, flag],
      )
      assert.deepEqual([after?.sessionId, after?.model, after?.savings], ['sid', 'm', null])
      assert.deepEqual(await store.message(answer.id), answer)
    }
  }),

  storeCase('a session has the model that its last change names, or none', async store => {
    const { lease, run, session, threadId } = await started(store)
    await store.endRun(
      lease,
      sampleEnd(run, {
        sessionId: session.sessionId,
        session: sampleSessionChange(session.id, { model: null }),
      }),
    )
    const [after] = await store.sessions({ threadId })
    assert.deepEqual([after?.id, after?.model], [session.id, null])
  }),

  storeCase('an end that names no session and no model leaves those of the start', async store => {
    const { run, lease, session } = await started(store)
    await store.endRun(lease, sampleEnd(run))
    const after = await store.run(run.id)
    assert.deepEqual([after?.sessionId, after?.model], [session.sessionId, 'sonnet'])
  }),

  storeCase('shows a recorded kill of a run that nobody ended', async store => {
    const { run, lease } = await started(store)
    assert.equal((await store.run(run.id))?.exit, null)
    await store.recordKill(lease, run.id, 'silent')
    await store.recordKill(lease, run.id, 'cancelled')
    assert.deepEqual((await store.run(run.id))?.exit, {
      code: null,
      signal: null,
      endedBy: 'silent',
      stderr: '',
      outputCut: false,
    })
  }),

  storeCase('says why a write is refused: released, taken over, or ended', async store => {
    const { run, lease, threadId } = await claimed(store)
    const start = () => store.startRun(lease, sampleStart(run.id))
    const nowhere = { ...lease, threadId: 'thr_none' }
    await refusesWith('lease-lost', () => store.renewLease(nowhere, LEASE_MS), 'no such lease')
    const other = { ...lease, token: lease.token + 1 }
    await refusesWith('lease-lost', () => store.renewLease(other, LEASE_MS), 'taken it over')
    await store.releaseLease(nowhere)
    await store.releaseLease(other)
    assert.deepEqual(await store.renewLease(lease, LEASE_MS), { cancelRequested: false })
    await store.releaseLease(lease)
    await store.releaseLease(lease)
    await refusesWith('lease-lost', start, `run ${run.id} no longer holds thread ${threadId}`)
    await refusesWith('lease-lost', start, 'it was released or handed to another run')
    const again = await claimedLease(store, run.id)
    await store.startRun(again, sampleStart(run.id))
    await store.endRun(again, sampleEnd(run))
    const end = () => store.endRun(again, sampleEnd(run))
    await refusesWith('conflict', end, `run ${run.id} has already ended as completed`)
  }),

  storeCase('says that a run which keeps a thread busy waits for an answer', async store => {
    const { run, lease, threadId } = await asking(store)
    await store.askQuestion(lease, run.id, sampleQuestion())
    await assert.rejects(store.removeThread(threadId), {
      message: `run ${run.id} waits for an answer on thread ${threadId}`,
      hint: `Answer it (reprise runs answer ${run.id}), or cancel it: reprise runs cancel ${run.id}.`,
    })
  }),

  storeCase('says which run keeps a thread or a session busy', async store => {
    const going = await started(store)
    const { threadId } = going
    const remove = (id: string) => () => store.removeThread(id)
    await refusesWith(
      'busy',
      remove(threadId),
      `run ${going.run.id} is going on thread ${threadId}`,
    )
    const queued = await submitted(store)
    const words = `run ${queued.run.id} waits for its turn on thread ${queued.threadId}`
    await refusesWith('busy', remove(queued.threadId), words)
    const lease = await claimedLease(store, queued.run.id)
    const onIt = sampleStart(queued.run.id, { session: going.session.id })
    await refusesWith('busy', () => store.startRun(lease, onIt), `run ${going.run.id} is going`)
    const unknown = sampleStart(queued.run.id, { session: 'ses_none' })
    await refusesWith('not-found', () => store.startRun(lease, unknown), 'ses_none')
    await refusesWith('not-found', () => store.claimTurn('run_none', OWNER, 1), 'run_none')
    assert.equal(await store.instructionsOf('run_none'), null)
    assert.equal(await store.startOf('run_none'), null)
    assert.equal(await store.firstInLine('thr_none'), null)
    assert.equal(await store.firstInLine(threadId), going.run.id)
  }),

  storeCase(
    'an edit that changes nothing keeps the branch, and an unknown thread is not found',
    async store => {
      const [a, b] = [sampleMessage(), sampleMessage()]
      const thread = sampleThread()
      await store.createThread(thread, [a, b])
      const edit = { threadId: thread.id, branchId: 'brn_n', messages: [a, b], now: 9_000 }
      await store.replaceBranch({ ...edit, expected: [a.id, b.id] })
      assert.equal((await store.thread(thread.id))?.updatedAt, 1_000)
      const swapped = [b.id, a.id]
      await refusesWith('conflict', () => store.replaceBranch({ ...edit, expected: swapped }))
      await refusesWith('conflict', () => store.replaceBranch({ ...edit, expected: [a.id] }))
      const unknown = { ...edit, threadId: 'thr_none', expected: [] }
      await refusesWith('not-found', () => store.replaceBranch(unknown), 'thr_none')
      await store.replaceBranch({ ...edit, messages: [b, a], expected: [a.id, b.id] })
      assert.deepEqual(await store.branch(thread.id), [b, a])
      assert.equal((await store.thread(thread.id))?.updatedAt, 9_000)
    },
  ),

  storeCase('a turn that was submitted before is not claimed a second time', async store => {
    const thread = sampleThread()
    await store.createThread(thread, [])
    const key = { key: 'k', request: 'r', note: '' }
    const first = await store.submitAndClaim({ ...sampleTurn(thread.id), key }, 1_500, LEASE_MS)
    assert.ok(first.lease)
    const again = await store.submitAndClaim({ ...sampleTurn(thread.id), key }, 1_600, LEASE_MS)
    assert.deepEqual([again.run.id, again.lease], [first.run.id, null])
    const nowhere = {
      ...sampleTurn(thread.id),
      run: { ...sampleTurn(thread.id).run, threadId: null },
    }
    await refusesWith('bad-input', () => store.submitTurn(nowhere, 1_500), 'needs a thread')
    const other = { ...key, request: 'another' }
    await refusesWith('conflict', () => store.findRequest(other), 'used for another request')
  }),

  storeCase('takes over only runs that are open and whose owner is the dead one', async store => {
    const { run, lease } = await started(store)
    const takeOver = (id: string) => store.takeOver(id, OWNER, OTHER_OWNER, LEASE_MS)
    assert.equal(await takeOver('run_none'), null)
    await store.endRun(lease, sampleEnd(run))
    assert.equal(await takeOver(run.id), null)
    const second = await started(store)
    const taken = await takeOver(second.run.id)
    assert.ok(taken)
    assert.deepEqual(
      (await store.openRuns()).map(({ owner, expired }) => [owner, expired]),
      [[OTHER_OWNER, false]],
    )
    await refusesWith('lease-lost', () => store.renewLease(second.lease, LEASE_MS))
    await store.endRun(taken, sampleFailure(second.run, { status: 'interrupted' }))
  }),

  storeCase(
    'T-9 adopts a session of the agent once, confirmed and with its context',
    async store => {
      const thread = sampleThread()
      await store.createThread(thread, [])
      const seen = [{ hash: 'h', anchor: 'a', isPart: false }]
      const session = sampleSession(thread.id, { seen })
      assert.equal(await store.adoptSession(session, 77, 4_000), true)
      const stored = await store.session(session.id)
      assert.deepEqual(
        [stored?.pointer, stored?.state, stored?.confirmedAt, stored?.contextTokens, stored?.seen],
        ['confirmed', 'active', 4_000, 77, seen],
      )
      const again = { ...session, id: 'ses_again' }
      assert.equal(await store.adoptSession(again, 1, 5_000), false)
      assert.deepEqual(await store.verify(), [])
    },
  ),

  storeCase(
    'T-6 moves a session of its own thread to another work dir, and no other',
    async store => {
      const { lease, session } = await started(store)
      const other = await started(store)
      await store.moveSession(lease, session.id, '/moved')
      await store.moveSession(lease, other.session.id, '/moved')
      assert.equal((await store.session(session.id))?.workDir, '/moved')
      assert.equal((await store.session(other.session.id))?.workDir, '/project')
      await store.releaseLease(lease)
      await refusesWith('lease-lost', () => store.moveSession(lease, session.id, '/again'))
    },
  ),

  storeCase('finds sessions by thread, agent and id, and lists them newest first', async store => {
    const one = await started(store)
    const two = await started(store)
    const ids = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id)
    const { threadId } = one
    assert.deepEqual(ids(await store.sessions({ threadId })), [one.session.id])
    assert.deepEqual(ids(await store.sessions({ threadId, agent: 'another' })), [])
    const { sessionId } = two.session
    assert.deepEqual(ids(await store.sessions({ sessionId })), [two.session.id])
    assert.deepEqual(ids(await store.listSessions({ threadId, limit: 9 })), [one.session.id])
    assert.deepEqual(ids(await store.listSessions({ agent: 'another', limit: 9 })), [])
    const all = ids(await store.listSessions({ limit: 9 }))
    assert.deepEqual(all.toSorted(), [one.session.id, two.session.id].toSorted())
    assert.deepEqual(
      ids(await store.listSessions({ limit: 9, cursor: all[0] ?? '' })),
      all.slice(1),
    )
    assert.deepEqual(await store.sessionHolders([]), new Map())
    assert.deepEqual((await store.session(two.session.id))?.seen, [])
  }),

  storeCase(
    'L-1 expires active and completed sessions too, but never without a time',
    async store => {
      const ends = []
      for (const _ of [1, 2]) {
        const { run, lease, session } = await started(store)
        await store.endRun(lease, sampleEnd(run, { session: sampleSessionChange(session.id) }))
        ends.push(session.id)
      }
      const [active = '', completed = ''] = ends
      await store.setSessionState(completed, 'active', 'completed')
      const states = async () =>
        Promise.all([active, completed].map(async id => (await store.session(id))?.state))
      const never = await store.sweepSessions({ pauseBefore: 0, expireBefore: null })
      assert.equal(never.expired, 0)
      assert.deepEqual(await states(), ['active', 'completed'])
      const swept = await store.sweepSessions({ pauseBefore: 0, expireBefore: 9e15 })
      assert.equal(swept.expired, 2)
      assert.deepEqual(await states(), ['expired', 'expired'])
    },
  ),

  storeCase('J-1 lists jobs newest first, by status, in pages', async store => {
    const jobs = [sampleJob(), sampleJob(), sampleJob()]
    for (const job of jobs) await store.submitJob(job, enlistOf(job))
    const [first, second, third] = jobs.map(({ id }) => id)
    await store.requestJobCancel(second ?? '', 2_000)
    const ids = async (query: Parameters<typeof store.listJobs>[0]) =>
      (await store.listJobs(query)).map(({ id }) => id)
    assert.deepEqual(await ids({ limit: 9 }), [third, second, first])
    assert.deepEqual(await ids({ limit: 2 }), [third, second])
    assert.deepEqual(await ids({ limit: 9, cursor: third ?? '' }), [second, first])
    assert.deepEqual(await ids({ limit: 9, status: 'cancelled' }), [second])
    assert.equal((await store.jobOfThread(jobs[0]?.threadId ?? ''))?.id, first)
    assert.equal(await store.jobOfThread('thr_none'), null)
    const again = { how: 'fresh', attemptsFrom: 1, settledRunId: null, now: 5_000 } as const
    let enlisted = false
    const enlist = async () => {
      enlisted = true
    }
    assert.equal(await store.requeueJob('job_none', again, enlist), false)
    assert.equal(enlisted, false)
  }),

  storeCase('J-4 keeps when and how a job is tried again, and when it ended', async store => {
    const job = sampleJob()
    await store.submitJob(job, enlistOf(job))
    await store.startAttempt(job.id, 2_000)
    const reason = { code: 'limit-resets', resetsAt: 7_000 } as const
    const step = { do: 'retry', while: 'parked', at: 8_000, how: 'fresh', reason } as const
    assert.equal(await store.settleJob(job.id, { runId: null, step, now: 3_000 }), true)
    const waiting = await store.job(job.id)
    assert.deepEqual(
      [waiting?.status, waiting?.nextAttemptAt, waiting?.nextHow, waiting?.endedAt],
      ['parked', 8_000, 'fresh', null],
    )
    assert.equal(waiting?.settledRunId, null)
    await store.startAttempt(job.id, 8_000)
    assert.equal(
      await store.settleJob(job.id, { runId: 'run_1', step: { do: 'cancel' }, now: 9_000 }),
      true,
    )
    const over = await store.job(job.id)
    assert.deepEqual(
      [over?.status, over?.nextAttemptAt, over?.endedAt, over?.settledRunId, over?.nextHow],
      ['cancelled', null, 9_000, 'run_1', 'fresh'],
    )
  }),

  storeCase('forgets what was probed of a program, and nothing else', async store => {
    await store.cacheRuntime('one', RUNTIME)
    await store.cacheRuntime('two', { ...RUNTIME, version: '3' })
    await store.cacheRuntime('other', { ...RUNTIME, executable: '/bin/other' })
    await store.forgetRuntime('/bin/claude')
    assert.equal(await store.cachedRuntime('one'), null)
    assert.equal(await store.cachedRuntime('two'), null)
    assert.equal((await store.cachedRuntime('other'))?.executable, '/bin/other')
  }),
]
