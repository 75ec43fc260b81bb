// What a store must say about the owners of pieces in the vault.
import assert from 'node:assert/strict'
import { storeCase } from './case.ts'
import { enlistOf, sampleJob } from './job-cases.ts'
import { sampleEnd, started } from './samples.ts'

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
]
