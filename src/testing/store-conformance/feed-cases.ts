// What a store must do for live readers, and for repeated requests.
import assert from 'node:assert/strict'
import { ID_KINDS, type IdSubject } from '../../core/id-kind.ts'
import { refusesWith, storeCase } from './case.ts'
import { sampleChain } from './chain-samples.ts'
import { sampleJob } from './job-cases.ts'
import {
  claimed,
  sampleEnd,
  sampleMessage,
  sampleSession,
  sampleStart,
  sampleThread,
  sampleTurn,
  started,
  submitted,
} from './samples.ts'

const event = (type: string) => ({ at: 1, type, json: `{"type":"${type}"}` })
const KEY = { key: 'key-1', request: 'a fingerprint', note: '{"kept":true}' }

export const FEED_CASES = [
  storeCase('gives the events of all runs in one growing order (I10)', async store => {
    assert.equal(await store.lastPosition(), 0)
    const one = await claimed(store)
    const two = await claimed(store)
    await store.startRun(one.lease, sampleStart(one.run.id, { events: [event('a')] }))
    await store.startRun(two.lease, sampleStart(two.run.id, { events: [event('b')] }))
    await store.appendEvents(one.lease, one.run.id, [event('c'), event('d')])
    // Of its run it is the second one, of all runs the last one.
    await store.appendEvents(two.lease, two.run.id, [event('e')])
    const all = await store.feed(0, 10)
    assert.deepEqual(
      all.map(({ runId, seq, type }) => [runId, seq, type]),
      [
        [one.run.id, 1, 'a'],
        [two.run.id, 1, 'b'],
        [one.run.id, 2, 'c'],
        [one.run.id, 3, 'd'],
        [two.run.id, 2, 'e'],
      ],
    )
    assert.equal(all[1]?.threadId, two.threadId)
    assert.deepEqual([all[1]?.chainId, all[1]?.jobId], [null, null])
    assert.equal(await store.lastPosition(), all[4]?.position)
    assert.deepEqual(await store.feed(all[0]?.position ?? 0, 2), all.slice(1, 3))
    const changed = await store.changedRuns(all[3]?.position ?? 0)
    assert.deepEqual(changed, [{ runId: two.run.id, position: all[4]?.position }])
    assert.equal((await store.changedRuns(0)).length, 2)
  }),

  storeCase(
    'I10 tells of each change of a thread once, at the place of the latest',
    async store => {
      assert.deepEqual([await store.lastChange(), await store.changes(0, 10)], [0, []])
      const [first, second] = [sampleThread(), sampleThread({ createdAt: 5_000 })]
      await store.createThread(first, [])
      await store.createThread(second, [])
      const created = await store.changes(0, 10)
      assert.deepEqual(
        created.map(({ kind, id, at }) => [kind, id, at]),
        [
          ['thread', first.id, 1_000],
          ['thread', second.id, 5_000],
        ],
      )
      const before = await store.lastChange()
      assert.equal(before, created[1]?.position)
      assert.equal(await store.changeBefore(5_000), before - 1)
      assert.equal(await store.changeBefore(5_001), before)
      await store.submitTurn(sampleTurn(first.id), 6_000)
      const [turn, ...none] = await store.changes(before, 10)
      assert.deepEqual([turn?.id, turn?.at, none], [first.id, 6_000, []])
      assert.equal((await store.changes(0, 10)).length, 2)
      const message = sampleMessage()
      await store.replaceBranch({
        ...{ threadId: second.id, branchId: 'brn_c', expected: [], messages: [message] },
        now: 7_000,
      })
      await store.removeThread(second.id)
      const after = await store.changes(turn?.position ?? 0, 10)
      assert.deepEqual(
        after.map(({ kind, id }) => [kind, id]),
        [['thread', second.id]],
      )
      assert.deepEqual(await store.changes(await store.lastChange(), 10), [])
    },
  ),

  storeCase(
    'V-6 knows which threads it had and removed, and none that it never had',
    async store => {
      const [kept, removed] = [sampleThread(), sampleThread()]
      for (const thread of [kept, removed]) await store.createThread(thread, [])
      await store.removeThread(removed.id)
      assert.deepEqual(await store.removedThreads([]), [])
      assert.deepEqual(await store.removedThreads([kept.id, removed.id, 'thr_never']), [removed.id])
    },
  ),

  storeCase('I10 tells of a job and a chain that are removed with their thread', async store => {
    const job = sampleJob()
    await store.submitJob(job, async () => {})
    const { chain } = await store.startChain(sampleChain(), null)
    const { id: runId } = (await store.runsOfChain(chain.id))[0] ?? { id: '' }
    await store.requestCancel(runId, 2_000)
    const before = await store.lastChange()
    await store.removeThread(job.threadId)
    await store.removeThread(chain.threadId)
    const after = await store.changes(before, 10)
    assert.deepEqual(
      after.map(({ kind, id }) => [kind, id]),
      [
        ['thread', job.threadId],
        ['job', job.id],
        ['thread', chain.threadId],
        ['chain', chain.id],
      ],
    )
    assert.ok(after.every(({ at }) => at > 1_000_000))
  }),

  storeCase('never gives a position twice, also after a thread was removed', async store => {
    const { run, lease, threadId } = await claimed(store)
    await store.startRun(lease, sampleStart(run.id, { events: [event('a'), event('b')] }))
    await store.endRun(lease, sampleEnd(run, { events: [event('ended')] }))
    const before = await store.lastPosition()
    await store.removeThread(threadId)
    assert.deepEqual(await store.feed(0, 10), [])
    const next = await claimed(store)
    await store.startRun(next.lease, sampleStart(next.run.id, { events: [event('a')] }))
    assert.ok((await store.lastPosition()) > before)
  }),

  storeCase('counts runs by status and decision', async store => {
    await started(store)
    await claimed(store)
    const { run, lease } = await started(store)
    await store.endRun(lease, sampleEnd(run))
    const counts = (await store.countRuns()).map(({ status, action, runs }) =>
      [status, action, runs].join(' '),
    )
    assert.deepEqual(counts.sort(), ['completed start 1', 'queued  1', 'running start 1'])
  }),

  storeCase('lists sessions newest first, page by page', async store => {
    const ids: string[] = []
    for (const startedAt of [1_000, 2_000, 2_000]) {
      const { threadId, run, lease } = await claimed(store)
      const session = sampleSession(threadId)
      const start = { session: session.id, newSession: session, startedAt }
      await store.startRun(lease, sampleStart(run.id, start))
      ids.push(session.id)
    }
    const [oldest, ...others] = ids
    const first = await store.listSessions({ limit: 2 })
    assert.deepEqual(new Set(first.map(session => session.id)), new Set(others))
    const cursor = first[1]?.id ?? ''
    const second = await store.listSessions({ limit: 2, cursor })
    assert.deepEqual(
      second.map(session => session.id),
      [oldest],
    )
    assert.deepEqual(await store.listSessions({ limit: 2, cursor: 'ses_gone' }), [])
    const used = first[0]?.lastMessageAt ?? 0
    assert.deepEqual(await store.listSessions({ limit: 9, since: used + 1 }), [])
    assert.equal((await store.listSessions({ limit: 9, since: used })).length, 2)
  }),

  storeCase('lists runs that were queued since a time', async store => {
    const { run } = await submitted(store)
    const since = async (ms: number) => (await store.listRuns({ limit: 9, since: ms })).length
    assert.deepEqual([await since(run.queuedAt), await since(run.queuedAt + 1)], [1, 0])
  }),

  storeCase(
    'finds ids by their beginning, in order, and takes no letter for a pattern',
    async store => {
      const { run, threadId } = await submitted(store)
      const other = await submitted(store)
      const find = (kind: IdSubject, beginning: string, limit = 9) =>
        store.idsBeginning({ kind, beginning, limit })
      assert.deepEqual(await find('run', run.id), [run.id])
      assert.deepEqual(await find('run', run.id.slice(0, 3)), [run.id, other.run.id].toSorted())
      assert.equal((await find('run', run.id.slice(0, 3), 1)).length, 1)
      assert.deepEqual(await find('thread', threadId), [threadId])
      assert.deepEqual(await find('thread', run.id), [])
      assert.deepEqual(await find('run', '%'), [])
      assert.deepEqual(await find('run', run.id.replace(/^.../, '___')), [])
      for (const kind of ID_KINDS) assert.deepEqual(await find(kind, 'none'), [])
    },
  ),

  storeCase('does not store a turn twice that comes again with its key (I8)', async store => {
    const thread = sampleThread()
    await store.createThread(thread, [])
    const turn = { ...sampleTurn(thread.id), key: KEY }
    const run = await store.submitTurn(turn, 1_000)
    const again = await store.submitTurn({ ...sampleTurn(thread.id), key: KEY }, 2_000)
    assert.equal(again.id, run.id)
    assert.equal((await store.listRuns({ threadId: thread.id, limit: 10 })).length, 1)
    assert.deepEqual(await store.findRequest(KEY), {
      threadId: thread.id,
      runId: run.id,
      messageId: turn.message.id,
      note: KEY.note,
    })
    const other = { ...KEY, request: 'something else' }
    await refusesWith('conflict', () => store.findRequest(other))
    const changed = { ...sampleTurn(thread.id), key: other }
    await refusesWith('conflict', () => store.submitTurn(changed, 3_000))
    assert.equal((await store.listRuns({ threadId: thread.id, limit: 10 })).length, 1)
  }),

  storeCase('I8 knows the key of a request for a week, and then no more', async store => {
    const [thread, day] = [sampleThread(), 24 * 3_600_000]
    await store.createThread(thread, [])
    const send = (key: string, at: number) =>
      store.submitTurn({ ...sampleTurn(thread.id), key: { ...KEY, key } }, at)
    await send('first', 1_000)
    await send('second', 1_000 + 7 * day)
    assert.notEqual(await store.findRequest({ ...KEY, key: 'first' }), null)
    await send('third', 1_001 + 7 * day)
    assert.equal(await store.findRequest({ ...KEY, key: 'first' }), null)
  }),

  storeCase('does not create a thread twice that comes again with its key (I8)', async store => {
    const first = sampleThread()
    assert.equal(await store.createThread(first, [], KEY), first.id)
    assert.equal(await store.createThread(sampleThread(), [], KEY), first.id)
    assert.equal((await store.listThreads({ limit: 10 })).length, 1)
    assert.equal(await store.findRequest({ ...KEY, key: 'key-2' }), null)
  }),
]
