// What a store must do with the processes that work on jobs.
import assert from 'node:assert/strict'
import type { WorkerBeat } from '../../store/contract/workers.ts'
import { storeCase } from './case.ts'
import { claimed, OWNER, sampleStart } from './samples.ts'

const ALIVE_MS = 600_000

function sampleBeat(changes: Partial<WorkerBeat> = {}): WorkerBeat {
  return {
    id: 'wrk_a',
    host: 'build-1',
    pid: 41,
    startTime: '7@boot',
    version: '1.2.3',
    labels: ['gpu', 'linux'],
    sharedRoots: ['/srv/nfs'],
    agents: ['claude-code'],
    concurrency: 4,
    active: 0,
    draining: false,
    ...changes,
  }
}

export const WORKER_CASES = [
  storeCase('keeps what a worker offers and how busy it is', async store => {
    assert.deepEqual(await store.workers(), [])
    await store.beatWorker(sampleBeat(), ALIVE_MS)
    const [first, ...others] = await store.workers()
    assert.deepEqual(others, [])
    const { draining: _, ...offered } = sampleBeat()
    const { startedAt, beatAt, ...kept } = first ?? { startedAt: 0, beatAt: 0 }
    assert.deepEqual(kept, { ...offered, state: 'working' })
    assert.equal(startedAt, beatAt)
    await store.beatWorker(sampleBeat({ active: 3, draining: true }), ALIVE_MS)
    const [later] = await store.workers()
    assert.deepEqual([later?.active, later?.state], [3, 'draining'])
    assert.equal(later?.startedAt, startedAt)
    assert.ok((later?.beatAt ?? 0) >= beatAt)
  }),

  storeCase(
    'shows a worker without a beat as gone, and as working when it beats again',
    async store => {
      await store.beatWorker(sampleBeat(), 0)
      assert.equal((await store.workers())[0]?.state, 'gone')
      await store.beatWorker(sampleBeat(), ALIVE_MS)
      assert.equal((await store.workers())[0]?.state, 'working')
    },
  ),

  storeCase('removes a worker that has been gone for long when another one beats', async store => {
    await store.beatWorker(sampleBeat({ id: 'wrk_long_gone' }), -601_000)
    await store.beatWorker(sampleBeat({ id: 'wrk_gone' }), -1_000)
    await store.beatWorker(sampleBeat({ id: 'wrk_c', host: 'build-0' }), ALIVE_MS)
    const found = await store.workers()
    assert.deepEqual(
      found.map(({ id, state }) => [id, state]),
      [
        ['wrk_c', 'working'],
        ['wrk_gone', 'gone'],
      ],
    )
  }),

  storeCase('removes one worker and leaves the others, also of the same process', async store => {
    await store.beatWorker(sampleBeat(), ALIVE_MS)
    await store.beatWorker(sampleBeat({ id: 'wrk_b' }), ALIVE_MS)
    await store.removeWorker('wrk_a')
    await store.removeWorker('wrk_unknown')
    assert.deepEqual(
      (await store.workers()).map(({ id }) => id),
      ['wrk_b'],
    )
  }),

  storeCase(
    'notes for followers what changes about the workers of a host, but no mere beat',
    async store => {
      const noted = async () => {
        const all = await store.changes(0, 100)
        return all
          .filter(({ kind }) => kind === 'worker')
          .map(({ id, position }) => ({ id, position }))
      }
      await store.beatWorker(sampleBeat(), ALIVE_MS)
      const [began] = await noted()
      assert.equal(began?.id, 'build-1')
      await store.beatWorker(sampleBeat(), ALIVE_MS)
      assert.deepEqual(await noted(), [began])
      let last = began?.position ?? 0
      for (const change of [{ active: 1 }, { active: 1, draining: true }]) {
        await store.beatWorker(sampleBeat(change), ALIVE_MS)
        const [now, ...more] = await noted()
        assert.deepEqual(more, [])
        assert.ok((now?.position ?? 0) > last)
        last = now?.position ?? 0
      }
      await store.removeWorker('wrk_a')
      assert.ok(((await noted())[0]?.position ?? 0) > last)
    },
  ),

  storeCase(
    'keeps the host that started a run, also after another one took it over',
    async store => {
      const { run, lease } = await claimed(store)
      assert.equal((await store.run(run.id))?.host, null)
      await store.startRun(lease, sampleStart(run.id))
      assert.equal((await store.run(run.id))?.host, OWNER.host)
      await store.takeOver(run.id, OWNER, { ...OWNER, host: 'elsewhere' }, 1_000)
      assert.equal((await store.run(run.id))?.host, OWNER.host)
    },
  ),
] as const
