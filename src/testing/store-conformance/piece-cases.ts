// What a store must say about the owners of pieces in the vault, and what it does with threads that come in a file.
import assert from 'node:assert/strict'
import type { Store } from '../../store/contract/store.ts'
import type { ThreadArrival, ThreadContent } from '../../store/contract/thread-content.ts'
import { refusesWith, storeCase } from './case.ts'
import { enlistOf, sampleJob } from './job-cases.ts'
import { sampleEnd, sampleSessionChange, sampleThread, sampleTurn, started } from './samples.ts'

export const PIECE_CASES = [
  storeCase('V-6 knows which copies and objects have no session, thread or job', async store => {
    const { threadId, lease, run, session } = await started(store)
    await store.announceSession(lease, run.id, session)
    const job = sampleJob()
    await store.submitJob(job, enlistOf(job))
    const { agent, sessionId } = session
    const known = [
      { shelf: 'sessions', agent, sessionId },
      { shelf: 'objects', owner: threadId },
      { shelf: 'objects', owner: job.id },
    ] as const
    const unknown = [
      { shelf: 'sessions', agent: 'another', sessionId },
      { shelf: 'sessions', agent, sessionId: 'none' },
      { shelf: 'objects', owner: sessionId },
    ] as const
    assert.deepEqual(await store.withoutOwner([]), [])
    assert.deepEqual(await store.withoutOwner([...known, ...unknown]), unknown)
    await store.endRun(lease, sampleEnd(run))
    await store.removeThread(threadId)
    const gone = known.slice(0, 2)
    assert.deepEqual(await store.withoutOwner(known), gone)
    const many = Array.from(
      { length: 1_200 },
      (_, at) => ({ shelf: 'objects', owner: `x${at}` }) as const,
    )
    assert.equal((await store.withoutOwner(many)).length, many.length)
  }),

  storeCase(
    'V-3 stores a thread that comes in a file as it was, once, whole or not at all',
    async store => {
      const content = await sampleContent(store)
      const { id } = content.thread
      const stored = (await store.events(content.runs[0]?.id ?? '', 0, 100)).length
      await store.removeThread(id)
      const arrival = arrivalOf(content, () => pageOf(content, stored))
      const broken = arrivalOf(content, async function* () {
        yield* pageOf(content, stored)
        throw new Error('the file ends here')
      })
      await assert.rejects(store.importThread(broken), /the file ends here/)
      assert.equal(await store.thread(id), null)
      assert.equal(await store.importThread(arrival), id)
      const other = { ...content, thread: { ...content.thread, id: 'thr_other' } }
      assert.equal(await store.importThread({ ...arrival, content: other }), id)
      assert.equal(await store.threadOfImport(arrival.key), id)
      assert.equal(await store.threadOfImport('another'), null)
      const { thread, ...rest } = (await store.threadContent(id)) ?? content
      assert.deepEqual(thread, { ...content.thread, imported: arrival.imported })
      const { thread: _, ...expected } = content
      assert.deepEqual(rest, expected)
      assert.equal((await store.events(content.runs[0]?.id ?? '', 0, 100)).length, stored)
      assert.deepEqual(await store.verify(), [])
      assert.deepEqual(await store.usageBy('agent'), [])
    },
  ),

  storeCase(
    'S24 lets nobody send to a thread of somebody else before it is approved',
    async store => {
      const content = await sampleContent(store)
      const { id } = content.thread
      assert.equal(await store.approveThread({ id, at: 5_000 }), false)
      await store.removeThread(id)
      await store.importThread(arrivalOf(content, () => pageOf(content, 0)))
      const waiting = async () => {
        const threads = await store.listThreads({ unapproved: true, limit: 10 })
        assert.equal(await store.countThreads({ unapproved: true }), threads.length)
        return threads.map(thread => thread.id)
      }
      await store.createThread(sampleThread(), [])
      assert.deepEqual(await waiting(), [id])
      const turn = sampleTurn(id)
      await refusesWith('conflict', () => store.submitTurn(turn, 6_000))
      await refusesWith('conflict', () => store.submitAndClaim(turn, 6_000, 1_000))
      const change = { threadId: id, branchId: 'brn_new', expected: [], messages: [], now: 6_000 }
      await refusesWith('conflict', () => store.replaceBranch(change))
      const forked = { ...content.thread, id: 'thr_copy', forkedFrom: id }
      await refusesWith('conflict', () => store.createThread(forked, []))
      assert.equal(await store.approveThread({ id, at: 7_000 }), true)
      assert.equal(await store.approveThread({ id, at: 8_000 }), true)
      assert.deepEqual(await waiting(), [])
      assert.equal((await store.thread(id))?.imported?.approvedAt, 7_000)
      assert.equal((await store.submitTurn(turn, 9_000)).id, turn.run.id)
      await refusesWith('busy', () => store.threadContent(id))
      assert.equal(await store.threadContent('thr_none'), null)
    },
  ),

  storeCase('S24 makes its key once', async store => {
    const made = { privateKey: 'secret', publicKey: 'public' }
    assert.deepEqual(await store.storeKey(() => made, 1_000), made)
    const other = { privateKey: 'other', publicKey: 'other' }
    assert.deepEqual(await store.storeKey(() => other, 2_000), made)
  }),
]

/** A thread with a run that has ended, as the store gives it. */
async function sampleContent(store: Store): Promise<ThreadContent> {
  const { threadId, lease, run, session } = await started(store)
  await store.announceSession(lease, run.id, session)
  const { sessionId } = session
  const ended = { sessionId, session: sampleSessionChange(session.id) }
  await store.endRun(lease, sampleEnd(run, ended))
  const content = await store.threadContent(threadId)
  assert.ok(content)
  assert.equal(content.sessions.length, 1)
  assert.equal(content.messages.length, 2)
  return content
}

function arrivalOf(content: ThreadContent, events: ThreadArrival['events']): ThreadArrival {
  const from = { threadId: 'thr_theirs', signature: 'foreign', key: 'public' } as const
  const imported = { ...from, importedAt: 4_000, approvedAt: null }
  return { content, imported, key: 'the same', events }
}

async function* pageOf({ runs }: ThreadContent, count: number) {
  const runId = runs[0]?.id ?? ''
  const json = '{"type":"text","text":"x"}'
  yield Array.from({ length: count }, (_, at) => ({
    ...{ runId, seq: at + 1, at: 3_000, type: 'text', json },
  }))
}
