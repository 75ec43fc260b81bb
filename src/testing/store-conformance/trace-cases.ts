// The trace that a turn, a job or a chain was submitted in: kept with it, and known to every run of it.
import assert from 'node:assert/strict'
import { storeCase } from './case.ts'
import { sampleChain } from './chain-samples.ts'
import { enlistOf, sampleJob } from './job-cases.ts'
import { LEASE_MS, sampleFailure, sampleStart, sampleThread, sampleTurn } from './samples.ts'

const TRACE = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=a b',
}

export const TRACE_CASES = [
  storeCase('O-1 keeps the trace of a turn, also for the next run of the turn', async store => {
    const thread = sampleThread()
    await store.createThread(thread, [])
    const turn = { ...sampleTurn(thread.id), trace: TRACE }
    const { run, lease } = await store.submitAndClaim(turn, 1_000, LEASE_MS)
    assert.ok(lease !== null)
    await store.startRun(lease, sampleStart(run.id))
    await store.endRun(lease, sampleFailure(run, { next: { runId: 'run_traced_next' } }))
    assert.deepEqual(await store.traceOf(run.id), TRACE)
    assert.deepEqual(await store.traceOf('run_traced_next'), TRACE)
    const other = await store.submitTurn(sampleTurn(thread.id), 1_000)
    assert.equal(await store.traceOf(other.id), null)
    assert.equal(await store.traceOf('run_unknown'), null)
  }),

  storeCase('O-1 the attempts of a job and the tiers of a chain know its trace', async store => {
    const job = sampleJob({ trace: TRACE })
    await store.submitJob(job, enlistOf(job))
    const attempt = { ...sampleTurn(job.threadId), job: { id: job.id, attempt: 1 } }
    const ofJob = await store.submitTurn(attempt, 1_000)
    assert.deepEqual(await store.traceOf(ofJob.id), TRACE)
    const { run } = await store.startChain(sampleChain({ trace: TRACE }), LEASE_MS)
    assert.deepEqual(await store.traceOf(run?.id ?? ''), TRACE)
  }),
]
