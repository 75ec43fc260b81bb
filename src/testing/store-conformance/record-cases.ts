// What a store must do with sessions, events, recovery and sums.
import assert from 'node:assert/strict'
import type { Runtime } from '../../adapters/adapter.ts'
import { refusesWith, storeCase } from './case.ts'
import {
  claimed,
  LEASE_MS,
  OTHER_OWNER,
  OWNER,
  sampleEnd,
  sampleFailure,
  sampleSession,
  sampleSessionChange,
  sampleStart,
  started,
  submitted,
} from './samples.ts'

const CRASHED = {
  class: 'supervisor-died',
  message: 'the process that ran it died',
  hint: 'send the message again',
  toolsRan: 0,
  resetsAt: null,
} as const

const ESTIMATE = {
  tokens: 1_200,
  cachedTokens: 1_000,
  usage: { inputTokens: 0, cacheReadTokens: 1_000, cacheWriteTokens: 200, outputTokens: 50 },
  costUsd: null,
  cache: { state: 'warm', because: 'in-time', ageMs: 1, lifeMs: 300_000 },
  basis: { runs: 3, of: 'thread' },
} as const

export const RECORD_CASES = [
  storeCase('keeps exactly what the agent of a run was given', async store => {
    const { run, lease } = await claimed(store)
    assert.equal(await store.promptOf(run.id), null)
    const text = 'a\0b \ud800 🙂'
    const prompt = { text, bytes: 12, truncated: true, arguments: ['--model', 'sonnet'] }
    await store.startRun(lease, sampleStart(run.id, { prompt }))
    assert.deepEqual(await store.promptOf(run.id), prompt)
    assert.equal(await store.promptOf('run_none'), null)
  }),

  storeCase('creates a session announced and confirms it once (C-2, C-5)', async store => {
    const { threadId, run, lease, session } = await started(store)
    assert.equal((await store.session(session.id))?.pointer, 'announced')
    assert.equal((await store.run(run.id))?.sessionId, session.sessionId)
    await store.endRun(lease, sampleEnd(run, { session: sampleSessionChange(session.id) }))
    const after = await store.session(session.id)
    assert.deepEqual([after?.pointer, after?.confirmedAt], ['confirmed', 3_000])
    assert.equal(after?.evidence, 'file')
    assert.deepEqual(after?.seen, sampleSessionChange('').seen)
    assert.deepEqual([after?.turnCount, after?.inputTokens, after?.outputTokens], [1, 10, 5])
    assert.equal((await store.run(run.id))?.sessionConfirmedAt, 3_000)

    const second = await claimed(store, threadId)
    await store.startRun(second.lease, sampleStart(second.run.id, { session: session.id }))
    const change = sampleSessionChange(session.id, { contextTokens: null })
    await store.endRun(second.lease, sampleEnd(second.run, { endedAt: 9_000, session: change }))
    const later = await store.session(session.id)
    assert.deepEqual([later?.confirmedAt, later?.turnCount, later?.seen.length], [3_000, 2, 4])
    assert.deepEqual([later?.contextTokens, later?.lastMessageAt], [15, 9_000])
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase(
    'stores first and last events with the start and the end themselves (I10)',
    async store => {
      const { run, lease } = await claimed(store)
      const event = (type: string) => ({ at: 1, type, json: `{"type":"${type}"}` })
      await store.startRun(lease, sampleStart(run.id, { events: [event('started')] }))
      await store.appendEvents(lease, run.id, [event('text')])
      await store.endRun(lease, sampleEnd(run, { events: [event('result')] }))
      const stored = await store.events(run.id, 0, 10)
      assert.deepEqual(
        stored.map(({ seq, type }) => [seq, type]),
        [
          [1, 'started'],
          [2, 'text'],
          [3, 'result'],
          [4, 'ended'],
        ],
      )
    },
  ),

  storeCase('never brings a retired session back (C-3, C-4)', async store => {
    const { threadId, run, lease, session } = await started(store)
    const retire = { code: 'never-persisted' } as const
    const retired = sampleSessionChange(session.id, { evidence: null, retire, failed: 'count' })
    await store.endRun(lease, sampleFailure(run, { session: retired }))
    const second = await claimed(store, threadId)
    await store.startRun(second.lease, sampleStart(second.run.id, { session: session.id }))
    await store.announceSession(second.lease, second.run.id, session)
    const confirm = sampleSessionChange(session.id, { failed: 'keep' })
    await store.endRun(second.lease, sampleEnd(second.run, { session: confirm }))
    const after = await store.session(session.id)
    assert.deepEqual([after?.pointer, after?.confirmedAt], ['retired', null])
    assert.equal(after?.evidence, null)
    assert.deepEqual(after?.retiredBecause, retire)
    assert.equal(after?.failedResumes, 1)
  }),

  storeCase('keeps the known end of a session until a run names another (D-4)', async store => {
    const { threadId, run, lease, session } = await started(store)
    const named = sampleSessionChange(session.id, { knownEnd: 'line-9' })
    await store.endRun(lease, sampleEnd(run, { session: named }))
    assert.equal((await store.session(session.id))?.knownEnd, 'line-9')
    const second = await claimed(store, threadId)
    const silent = sampleSessionChange(session.id, { knownEnd: null })
    await store.endRun(second.lease, sampleEnd(second.run, { session: silent }))
    assert.equal((await store.session(session.id))?.knownEnd, 'line-9')
  }),

  storeCase('counts fruitless and failed resumes in a row (F-4)', async store => {
    const { threadId, run, lease, session } = await started(store)
    const count = sampleSessionChange(session.id, {
      seen: [],
      evidence: null,
      fruitless: 'count',
      failed: 'count',
    })
    await store.endRun(lease, sampleFailure(run, { session: count }))
    const second = await claimed(store, threadId)
    await store.endRun(second.lease, sampleFailure(second.run, { session: count }))
    const counted = await store.session(session.id)
    assert.deepEqual([counted?.fruitlessResumes, counted?.failedResumes], [2, 2])
    assert.equal(counted?.turnCount, 0)
    const third = await claimed(store, threadId)
    const reset = sampleSessionChange(session.id)
    await store.endRun(third.lease, sampleEnd(third.run, { session: reset }))
    const again = await store.session(session.id)
    assert.deepEqual([again?.fruitlessResumes, again?.failedResumes], [0, 0])
  }),

  storeCase('creates the session of an agent that chose the id itself (C-2)', async store => {
    const { threadId, run, lease } = await claimed(store)
    await store.startRun(lease, sampleStart(run.id))
    const session = sampleSession(threadId)
    await store.announceSession(lease, run.id, session)
    await store.announceSession(lease, run.id, { ...session, id: 'ses_again' })
    const sessions = await store.sessions({ threadId, agent: session.agent })
    assert.deepEqual(
      sessions.map(({ id, pointer }) => [id, pointer]),
      [[session.id, 'announced']],
    )
  }),

  storeCase('lets one run at a time onto a session (I2, V-4)', async store => {
    const { run, lease, session } = await started(store)
    assert.deepEqual(await store.sessionHolders([session.id]), new Map([[session.id, run.id]]))
    const other = await claimed(store)
    const onIt = sampleStart(other.run.id, { session: session.id })
    await refusesWith('busy', () => store.startRun(other.lease, onIt))
    const forked = sampleSession(other.threadId, { forkedFrom: session.id })
    const fromIt = sampleStart(other.run.id, { newSession: forked })
    await refusesWith('busy', () => store.startRun(other.lease, fromIt))
    await refusesWith('busy', () => store.announceSession(other.lease, other.run.id, session))
    assert.equal((await store.run(other.run.id))?.status, 'queued')
    assert.deepEqual(await store.branch(other.threadId), [])
    await store.endRun(lease, sampleEnd(run))
    assert.deepEqual(await store.sessionHolders([session.id]), new Map())
    await store.startRun(other.lease, fromIt)
    assert.equal((await store.sessionHolders([session.id, forked.id])).size, 2)
  }),

  storeCase('a forked session has seen what it inherits', async store => {
    const { threadId, run, lease } = await claimed(store)
    const seen = [{ hash: 'x', anchor: 'a', isPart: true }]
    const session = sampleSession(threadId, { seen })
    await store.startRun(lease, sampleStart(run.id, { newSession: session }))
    assert.deepEqual((await store.session(session.id))?.seen, seen)
    const [found] = await store.sessions({ sessionId: session.sessionId })
    assert.deepEqual(found?.seen, seen)
  }),

  storeCase('counts events of a run from 1 without gaps (I10)', async store => {
    const { run, lease } = await started(store)
    const event = (at: number) => ({ at, type: 'text', json: JSON.stringify(`\0\ud800${at}`) })
    await store.appendEvents(lease, run.id, [event(1), event(2)])
    await store.appendEvents(lease, run.id, [])
    await store.appendEvents(lease, run.id, [event(3)])
    const events = await store.events(run.id, 0, 10)
    assert.deepEqual(
      events.map(({ seq, json }) => [seq, json]),
      [1, 2, 3].map(at => [at, event(at).json]),
    )
    assert.deepEqual(
      (await store.events(run.id, 1, 1)).map(({ seq }) => seq),
      [2],
    )
    const { firstEventAt, lastEventAt } = (await store.run(run.id)) ?? {}
    assert.deepEqual([firstEventAt, lastEventAt], [1, 3])
  }),

  storeCase('takes thousands of events at once', async store => {
    const { run, lease } = await started(store)
    const events = Array.from({ length: 2_500 }, (_, at) => ({ at, type: 'text', json: '{}' }))
    await store.appendEvents(lease, run.id, events)
    assert.equal((await store.events(run.id, 0, 5_000)).length, 2_500)
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('shows open runs with their owner and whether the lease is late', async store => {
    const going = await started(store)
    const queued = await submitted(store, going.threadId)
    const late = await submitted(store)
    const claim = await store.claimTurn(late.run.id, OTHER_OWNER, 0)
    assert.ok(claim.state === 'claimed')
    await store.startRun(claim.lease, sampleStart(late.run.id))
    const open = await store.openRuns()
    assert.deepEqual(
      open.map(({ run, owner, expired }) => [run.id, run.status, owner, expired]),
      [
        [going.run.id, 'running', OWNER, false],
        [queued.run.id, 'queued', OWNER, false],
        [late.run.id, 'running', OTHER_OWNER, true],
      ],
    )
  }),

  storeCase(
    'I9 a queued run expires when its process was silent for too long, and not before',
    async store => {
      const going = await started(store)
      const queued = await submitted(store, going.threadId)
      const expired = async () => (await store.openRuns()).map(open => open.expired)
      await store.sayWaiting(OTHER_OWNER, -1)
      await store.sayWaiting(OWNER, 60_000)
      assert.deepEqual(await expired(), [false, false])
      await store.sayWaiting(OWNER, -1)
      assert.deepEqual(await expired(), [false, true])
      // What a process said stays for as long as a turn of it waits, and goes at some time after that.
      await store.sayWaiting(OWNER, -3_600_000)
      await store.sayWaiting(OTHER_OWNER, 60_000)
      assert.deepEqual(await expired(), [false, true])
      await store.abandonQueued(queued.run.id, OWNER, CRASHED, 4_000)
      await store.sayWaiting(OTHER_OWNER, 60_000)
      await submitted(store, going.threadId)
      assert.deepEqual(await expired(), [false, false])
      assert.deepEqual(await store.verify(), [])
    },
  ),

  storeCase("takes a dead owner's run over once, and can end it (I9)", async store => {
    const { threadId, run, session } = await started(store)
    const stranger = { ...OWNER, startTime: 'another' }
    assert.equal(await store.takeOver(run.id, stranger, OTHER_OWNER, LEASE_MS), null)
    const lease = await store.takeOver(run.id, OWNER, OTHER_OWNER, LEASE_MS)
    assert.equal(await store.takeOver(run.id, OWNER, OTHER_OWNER, LEASE_MS), null)
    assert.ok(lease !== null)
    const end = sampleFailure(run, { status: 'interrupted', failure: CRASHED })
    await store.endRun(lease, end)
    assert.equal((await store.run(run.id))?.status, 'interrupted')
    assert.deepEqual(await store.sessionHolders([session.id]), new Map())
    assert.deepEqual(await store.openRuns(), [])
    const next = await claimed(store, threadId)
    assert.ok(next.lease.token > lease.token)
  }),

  storeCase('ends a queued run whose owner died, and keeps its prompt', async store => {
    const { threadId, run, turn } = await claimed(store)
    assert.equal(await store.takeOver(run.id, OWNER, OTHER_OWNER, LEASE_MS), null)
    assert.equal(await store.abandonQueued(run.id, OTHER_OWNER, CRASHED, 4_000), false)
    assert.equal(await store.abandonQueued(run.id, OWNER, CRASHED, 4_000), true)
    assert.equal(await store.abandonQueued(run.id, OWNER, CRASHED, 4_000), false)
    const ended = await store.run(run.id)
    assert.deepEqual([ended?.status, ended?.failure], ['interrupted', CRASHED])
    assert.deepEqual(await store.message(turn.message.id), turn.message)
    await claimed(store, threadId)
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('gives a queued run of a dead owner another one, at its place', async store => {
    const { threadId, run, lease } = await claimed(store)
    const later = await submitted(store, threadId)
    const keeper = { ...OTHER_OWNER, keepsQueue: true } as const
    assert.equal(await store.adoptQueued(run.id, OTHER_OWNER, keeper), false)
    assert.equal(await store.adoptQueued(run.id, OWNER, keeper), true)
    assert.equal(await store.adoptQueued(run.id, OWNER, keeper), false)
    const owners = (await store.openRuns()).map(({ owner }) => owner)
    assert.deepEqual(owners, [keeper, OWNER])
    const claim = await store.claimTurn(run.id, keeper, LEASE_MS)
    assert.equal(claim.state, 'claimed')
    const behind = await store.claimTurn(later.run.id, OWNER, LEASE_MS)
    assert.deepEqual(behind, { state: 'busy', holder: run.id })
    await refusesWith('lease-lost', () => store.startRun(lease, sampleStart(run.id)))
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('lists runs newest first, by thread, session, status and decision', async store => {
    const first = await started(store)
    await store.announceSession(first.lease, first.run.id, first.session)
    await store.endRun(first.lease, sampleEnd(first.run))
    const second = await submitted(store, first.threadId)
    const other = await submitted(store)
    const ids = async (filter: Parameters<typeof store.listRuns>[0]) =>
      (await store.listRuns(filter)).map(run => run.id)
    assert.deepEqual(await ids({ limit: 10 }), [other.run.id, second.run.id, first.run.id])
    assert.deepEqual(await ids({ limit: 10, cursor: second.run.id }), [first.run.id])
    const { threadId } = first
    assert.deepEqual(await ids({ limit: 1, threadId }), [second.run.id])
    assert.deepEqual(await ids({ limit: 9, threadId, status: 'completed' }), [first.run.id])
    const { sessionId } = first.session
    assert.deepEqual(await ids({ limit: 9, sessionId }), [first.run.id])
    const action = (await store.run(first.run.id))?.decision?.action ?? 'wait'
    assert.deepEqual(await ids({ limit: 9, action }), [first.run.id])
    assert.deepEqual(await ids({ limit: 9, action: 'fork' }), [])
  }),

  storeCase('sums ended runs by day, thread and agent (T-11)', async store => {
    const { threadId, run, lease } = await started(store)
    const savings = { coldInputTokens: 9, coldCostUsd: 1, savedUsd: 0.75, estimate: true } as const
    await store.endRun(lease, sampleEnd(run, { sessionResumed: true, savings }))
    const ended = await store.run(run.id)
    assert.deepEqual(ended?.savings, savings)
    const { decision } = ended
    const startedAt = ended.startedAt ?? 0
    await started(store, threadId)
    for (const [by, key] of [
      ['day', '1970-01-01'],
      ['thread', threadId],
      ['agent', 'claude-code'],
    ] as const) {
      const [row, ...more] = await store.usageBy(by)
      assert.deepEqual(more, [])
      assert.deepEqual([row?.key, row?.runs, row?.resumed], [key, 1, 1])
      assert.deepEqual([row?.costUsd, row?.coldCostUsd, row?.savedUsd], [0.25, 1, 0.75])
      assert.equal(row?.usage.inputTokens, 10)
      assert.deepEqual(await store.usageBy(by, startedAt + 1), [])
    }
    const counts = await store.countReasons(startedAt)
    assert.deepEqual(
      counts.map(({ runs, resumed }) => [runs, resumed]),
      [[1, 1]],
    )
    assert.equal(counts[0]?.action, decision?.action)
    assert.deepEqual(await store.countReasons(startedAt + 1), [])
  }),

  storeCase('keeps what a run was expected to use, for completed runs alone (M-4)', async store => {
    const { threadId, run, lease } = await claimed(store)
    await store.startRun(lease, sampleStart(run.id, { estimate: ESTIMATE }))
    assert.deepEqual((await store.run(run.id))?.estimate, ESTIMATE)
    assert.deepEqual(await store.estimatedRuns(), [])
    const end = sampleEnd(run)
    await store.endRun(lease, end)
    const { usage, costUsd } = end
    assert.deepEqual(await store.estimatedRuns(), [{ estimate: ESTIMATE, usage, costUsd }])
    const startedAt = (await store.run(run.id))?.startedAt ?? 0
    assert.deepEqual(await store.estimatedRuns(startedAt + 1), [])
    const without = await started(store, threadId)
    await store.endRun(without.lease, sampleEnd(without.run))
    assert.equal((await store.run(without.run.id))?.estimate, null)
    assert.equal((await store.estimatedRuns()).length, 1)
  }),

  storeCase('remembers probed runtimes', async store => {
    const runtime: Runtime = {
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
      quirks: ['a'],
      warning: null,
      fingerprint: 'f',
    }
    await store.cacheRuntime('key', { ...runtime, version: '1' })
    await store.cacheRuntime('key', runtime)
    assert.deepEqual(await store.cachedRuntime('key'), runtime)
  }),

  storeCase('keeps calls made at the same time apart', async store => {
    const threads = await Promise.all(Array.from({ length: 10 }, () => started(store)))
    await Promise.all(
      threads.map(({ run, lease }) => store.endRun(lease, sampleEnd(run, { endedAt: 5_000 }))),
    )
    assert.deepEqual(await store.verify(), [])
  }),
]
