// What a store must do with threads, chains and jobs that work in a repository.
import assert from 'node:assert/strict'
import type { Workspace } from '../../core/run/workspace.ts'
import { storeCase } from './case.ts'
import { sampleChain } from './chain-samples.ts'
import { enlistOf, sampleJob } from './job-cases.ts'
import { claimed, sampleStart, sampleThread } from './samples.ts'

const COMMIT = 'a'.repeat(40)
const OTHER_COMMIT = 'b'.repeat(40)

const workspace: Workspace = {
  repository: 'https://example.org/server.git',
  ref: 'main',
  commit: null,
}

const inRepository = { host: null, workspace, workDir: '/data/workspaces/one' }

export const WORKSPACE_CASES = [
  storeCase('keeps the repository and the ref of a thread', async store => {
    const thread = sampleThread(inRepository)
    await store.createThread(thread, [])
    assert.deepEqual(await store.thread(thread.id), thread)
    const [listed] = await store.listThreads({ limit: 1 })
    assert.deepEqual([listed?.host, listed?.workspace], [null, workspace])
  }),

  storeCase('keeps the host of a thread that works in a directory', async store => {
    const thread = sampleThread({ host: 'here' })
    await store.createThread(thread, [])
    const { host, workspace: none } = (await store.thread(thread.id)) ?? {}
    assert.deepEqual([host, none], ['here', null])
  }),

  storeCase('lets the first host settle the commit for all of them', async store => {
    const thread = sampleThread(inRepository)
    await store.createThread(thread, [])
    const settle = (commit: string) => store.settleCommit({ threadId: thread.id, commit })
    const found = await Promise.all([settle(COMMIT), settle(OTHER_COMMIT)])
    assert.equal(found[0], found[1])
    assert.equal((await store.thread(thread.id))?.workspace?.commit, found[0])
    assert.equal(await settle('c'.repeat(40)), found[0])
  }),

  storeCase('settles no commit where there is no repository', async store => {
    const thread = sampleThread()
    await store.createThread(thread, [])
    assert.equal(await store.settleCommit({ threadId: thread.id, commit: COMMIT }), null)
    assert.equal(await store.settleCommit({ threadId: 'thr_none', commit: COMMIT }), null)
    assert.equal((await store.thread(thread.id))?.workspace, null)
  }),

  storeCase('says of a job and a chain where they work', async store => {
    const job = sampleJob(inRepository)
    await store.submitJob(job, enlistOf(job))
    const stored = await store.job(job.id)
    assert.deepEqual([stored?.host, stored?.workspace], [null, workspace])
    assert.deepEqual((await store.listJobs({ limit: 1 }))[0]?.workspace, workspace)
    assert.deepEqual((await store.jobOfThread(job.threadId))?.workspace, workspace)

    const sample = sampleChain()
    const chain = { ...sample, thread: { ...sample.thread, ...inRepository } }
    const { chain: started } = await store.startChain(chain, null)
    assert.deepEqual([started.host, started.workspace], [null, workspace])
    assert.equal(started.workDir, inRepository.workDir)
    assert.deepEqual((await store.listChains({ limit: 1 }))[0]?.workspace, workspace)
  }),

  storeCase('keeps where a run in a repository started, also for its thread', async store => {
    const thread = sampleThread(inRepository)
    await store.createThread(thread, [])
    const { run, lease } = await claimed(store, thread.id)
    const started = await store.startRun(lease, sampleStart(run.id, { workDir: '/other/one' }))
    assert.equal(started.workDir, '/other/one')
    assert.equal((await store.thread(thread.id))?.workDir, '/other/one')
  }),

  storeCase('keeps the directory of a thread, wherever a run of it started', async store => {
    const thread = sampleThread({ workDir: '/project' })
    await store.createThread(thread, [])
    const { run, lease } = await claimed(store, thread.id)
    await store.startRun(lease, sampleStart(run.id, { workDir: '/other/one' }))
    assert.equal((await store.thread(thread.id))?.workDir, '/project')
  }),
]
