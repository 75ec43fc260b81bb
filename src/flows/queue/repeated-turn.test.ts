// I8: a turn that is sent again with its key runs nothing, and gives what the first one gives.
import { expect, test } from 'vitest'
import { eventually, processes } from '../../../test/simulated/processes.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'

const KEY = { key: 'once', request: 'hello', note: '' }
const GATED: FakeScript = [
  {
    when: 'work',
    do: [
      { type: 'waitForFile', path: '/go' },
      { type: 'text', text: 'done' },
    ],
  },
  { when: 'resume', once: true, do: [{ type: 'refuseResume' }] },
]

async function open(keepQueue = false) {
  const world = await processes(GATED)
  const { reprise, die } = world.open({ keepQueue })
  const thread = await reprise.threads.create({ workDir: '/project' })
  return { world, reprise, thread, die }
}

test('I8 while the first one runs, the second waits for its end and starts no agent', async () => {
  const { world, thread } = await open()
  const first = thread.send('work', { key: KEY })
  await eventually(() => world.runner.running.length).toBe(1)
  const second = thread.send('work', { key: KEY })
  expect(await second.submitted).toEqual(await first.submitted)
  await world.files.write('/go', '')
  expect(await second.result).toEqual(await first.result)
  expect((await second.result).text).toBe('done')
  expect(world.runner.journal).toHaveLength(1)
})

test('I8 after its end, the second gives the run in which the turn ended, also after a refused resume', async () => {
  const { world, thread } = await open()
  await thread.send('hello').result
  const first = await thread.send('again', { key: KEY }).result
  expect(first.run.decision?.action).toBe('replay')
  const second = await thread.send('again', { key: KEY }).result
  expect(second).toEqual(first)
  expect(world.runner.journal).toHaveLength(3)
})

test('I8 cancelling the second one ends only the waiting, and says how to end the first', async () => {
  const { world, reprise, thread } = await open()
  const first = thread.send('work', { key: KEY })
  const { runId } = await first.submitted
  await eventually(() => world.runner.running.length).toBe(1)
  const second = thread.send('work', { key: KEY })
  const refused = expect(second.result).rejects.toMatchObject({
    code: 'cancelled',
    message: `run ${runId} goes on; only the waiting for it has ended`,
    hint: `To end it: reprise runs cancel ${runId}.`,
  })
  await second.submitted
  await second.cancel()
  await refused
  expect((await reprise.runs.get(runId)).status).toBe('running')
  await world.files.write('/go', '')
  expect((await first.result).run.status).toBe('completed')
})

test('I8 another process waits for the first one too, and learns that it ended with its process', async () => {
  const { world, thread, die } = await open()
  const { runId } = await thread.send('work', { key: KEY }).submitted
  await eventually(() => world.runner.running.length).toBe(1)
  const { reprise: other } = world.open()
  const second = (await other.threads.get(thread.id)).send('work', { key: KEY })
  await second.submitted
  die()
  world.clock.pass(3_600_000)
  expect((await second.result).run).toMatchObject({ id: runId, status: 'interrupted' })
})
