// Jobs and schedules of chains that pg-boss hands out, with agents in this process.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createPgBossEngine } from '../../../src/engine/pg-boss/pg-boss.ts'
import { type LocalReprise, postgres } from '../../../src/index.ts'
import { isAlive, systemClock, thisProcess } from '../../../src/runner/real-world.ts'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { sampleMandate } from '../../../src/testing/store-conformance/chain-samples.ts'
import { memoryHost } from '../../postgres/memory-hosts.ts'
import { emptyStore, newDatabase, type TestDatabase } from '../../postgres/shared.ts'

const TASK = { prompt: 'work', workDir: '/project', checkpoints: 'off' } as const
const WAIT = { timeout: 180_000 }
const verdict = { verdict: 'resolved', summary: 'well', reason: 'because', findings: [] }
const SCRIPT: FakeScript = [
  { when: 'check', do: [{ type: 'verdict', output: verdict }] },
  { when: 'hang', do: [{ type: 'text', text: 'I wait' }, { type: 'hang' }] },
]

let database: TestDatabase
let open: LocalReprise[]

beforeAll(async () => {
  database = await newDatabase('store')
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyStore(database)
  open = []
})
afterEach(async () => {
  for (const reprise of open) await reprise.close()
})

async function host(name: string, options: { workers?: number; keepQueue?: true } = {}) {
  const reprise = await memoryHost(database.url, name, { script: SCRIPT, ...options })
  open.push(reprise)
  return reprise
}

test('J-8 a job whose work pg-boss gave up is dead and says why; a retry dispatches it anew', async () => {
  const submitter = await host('a')
  const { id } = await submitter.jobs.submit(TASK)
  await database.run('update reprise_work.job_common set retry_limit = 0')
  const store = await postgres(database.url)()
  const work = store.workDatabase?.()
  if (!work) throw new Error('this store has no database for the engine')
  const parts = { owner: thisProcess('b'), clock: systemClock }
  const engine = createPgBossEngine(work, {
    ...parts,
    isAlive: owner => isAlive(owner, 'b'),
  })
  const fails = async () => {
    throw new Error('no memory')
  }
  engine.consume('jobs', fails, { concurrency: 1 })
  await expect.poll(() => engine.dead('jobs', 10), WAIT).toEqual([{ ...DEAD, id }])
  await engine.close()
  await store.close()

  const worker = await host('c', { workers: 1 })
  expect(await worker.jobs.wait(id)).toMatchObject({
    status: 'dead',
    step: { do: 'stop', as: 'dead', reason: { code: 'given-up', error: 'no memory' } },
    attempts: [],
  })
  await submitter.jobs.retry(id)
  expect(await submitter.jobs.wait(id)).toMatchObject({ status: 'completed' })
  expect(await submitter.verify()).toEqual([])
})

const DEAD = { queue: 'jobs', key: null, error: 'no memory' }

test('E-9 a schedule of chains fires once for all daemons, and its chain is seen on every host', async () => {
  const [one, two] = [await host('a', { keepQueue: true }), await host('b', { keepQueue: true })]
  await Promise.all([one.agents(), two.agents()])
  const { policy } = sampleMandate()
  const wanted = { policy, prompt: 'check', workDir: '/project' }
  const schedule = await one.schedules.create({ ...wanted, recurrence: { everyMs: 1_000 } })
  const started = async () => (await two.chains.list()).filter(({ status }) => status !== 'running')
  await expect.poll(async () => (await started()).length, WAIT).toBeGreaterThan(1)
  // A cycle is taken before its chain is stored, so the schedule has counted every chain that was seen before.
  const chains = await two.chains.list()
  const [later] = await two.schedules.list()
  const cycles = ((later?.nextAt ?? 0) - schedule.nextAt) / 1_000
  expect(chains.length + (later?.skipped ?? 0)).toBeLessThanOrEqual(cycles)
  expect(chains.every(chain => chain.scheduleId === schedule.id)).toBe(true)
  await two.schedules.remove(schedule.id)
  expect(await one.verify()).toEqual([])
})

test('J-7 T-6 I10 a follower on another host sees a run go on, cancels it, and sees its end after that', async () => {
  const worker = await host('a', { workers: 1 })
  await worker.workers()
  const other = await host('b')
  const { id } = await other.jobs.submit({ ...TASK, prompt: 'hang' })
  const seen: string[] = []
  for await (const event of other.jobs.follow(id)) {
    if (event.type === 'text') {
      seen.push(event.text)
      await other.jobs.cancel(id)
      seen.push('cancelled')
    }
    if (event.type === 'ended') seen.push(`ended ${event.status}`)
  }
  expect(seen).toEqual(['I wait', 'cancelled', 'ended cancelled'])
  expect(await other.jobs.get(id)).toMatchObject({
    status: 'cancelled',
    attempts: [{ host: 'a', status: 'cancelled' }],
  })
})
