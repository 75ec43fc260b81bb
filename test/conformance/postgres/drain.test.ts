// A worker that stops takes no more, hands back what has not begun, lets runs end, and then interrupts them for another host.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { JobDetails, LocalReprise } from '../../../src/api.ts'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { smallWorld } from '../../../src/testing/in-process-agent.ts'
import type { MemoryFiles } from '../../../src/testing/memory-files.ts'
import { memoryHost } from '../../postgres/memory-hosts.ts'
import { emptyStore, newDatabase, type TestDatabase } from '../../postgres/shared.ts'

const WAIT = { timeout: 180_000 }
const TASK = { workDir: '/project', checkpoints: 'off', backoff: { firstMs: 20 } } as const
const HOUR = 3_600_000
const SCRIPT: FakeScript = [
  { when: 'was interrupted', do: [{ type: 'text', text: 'went on' }] },
  {
    when: 'slow',
    do: [
      { type: 'text', text: 'I wait' },
      { type: 'waitForFile', path: '/gate', reached: '/reached' },
      { type: 'text', text: 'ready' },
    ],
  },
  { do: [{ type: 'text', text: 'at once' }] },
]

let database: TestDatabase
let files: MemoryFiles
let open: LocalReprise[]

beforeAll(async () => {
  database = await newDatabase('store')
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyStore(database)
  files = await smallWorld()
  open = []
})
afterEach(async () => {
  for (const reprise of open) await reprise.close()
})

async function host(name: string, options: { workers?: number; maxRunning?: number } = {}) {
  const opened = await memoryHost(database.url, name, { script: SCRIPT, files, ...options })
  open.push(opened)
  await opened.workers()
  return opened
}

const whereItRan = ({ attempts }: JobDetails) => attempts.map(run => `${run.host} ${run.status}`)

test('J-8 a worker that stops takes no more jobs, hands back those that have not begun, and lets the others end', async () => {
  const a = await host('a')
  // It takes two jobs, but only one agent may run at a time: the other job waits in its hands.
  const b = await host('b', { workers: 2, maxRunning: 1 })
  const slow = await a.jobs.submit({ prompt: 'slow', ...TASK })
  await expect.poll(() => files.stat('/reached'), WAIT).not.toBeNull()
  const notBegun = await a.jobs.submit({ prompt: 'not begun', ...TASK })
  const taken = async () => (await a.jobs.get(notBegun.id)).attempts.map(run => run.status)
  await expect.poll(taken, WAIT).toEqual(['queued'])
  const stopping = b.close({ drainMs: HOUR })
  // Nobody else works, so only the one that stops could have taken it.
  await expect.poll(taken, WAIT).toEqual(['interrupted'])
  const late = await a.jobs.submit({ prompt: 'late', ...TASK })
  await host('c', { workers: 1 })
  const [handedBack, elsewhere] = [await a.jobs.wait(notBegun.id), await a.jobs.wait(late.id)]
  expect(whereItRan(handedBack).at(-1)).toBe('c completed')
  expect(whereItRan(elsewhere)).toEqual(['c completed'])
  // The run that had begun still goes on, and nobody took it away.
  expect(whereItRan(await a.jobs.get(slow.id))).toEqual(['b running'])
  await files.write('/gate', '')
  await stopping
  const ended = await a.jobs.get(slow.id)
  expect(ended.status).toBe('completed')
  expect(whereItRan(ended)).toEqual(['b completed'])
  expect(await a.verify()).toEqual([])
})

test('J-2 J-8 a run that has not ended in time is interrupted, and another host resumes its session at once', async () => {
  const [a, b] = [await host('a'), await host('b', { workers: 1 })]
  const { id } = await a.jobs.submit({ prompt: 'slow', ...TASK })
  await expect.poll(() => files.stat('/reached'), WAIT).not.toBeNull()
  await host('c', { workers: 1 })
  await b.close({ drainMs: 50 })
  const { status, attempts } = await a.jobs.wait(id)
  expect(status).toBe('completed')
  expect(attempts).toMatchObject([
    { host: 'b', status: 'interrupted', failure: { class: 'shutdown' } },
    { host: 'c', status: 'completed', sessionResumed: true },
  ])
  expect(attempts[1]?.sessionId).toBe(attempts[0]?.sessionId)
})
