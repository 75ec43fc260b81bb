// Turns that wait: behind another one of their thread or for a slot, until they run, are cancelled, or nobody waits any more.
import { expect, test } from 'vitest'
import { eventually, type ProcessOptions, processes } from '../../../test/simulated/processes.ts'
import { RepriseError } from '../../errors.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'

const GATED: FakeScript = [
  {
    when: 'first',
    once: true,
    do: [
      { type: 'waitForFile', path: '/go' },
      { type: 'text', text: 'x' },
    ],
  },
]

/** A turn that runs until the file is there. */
async function busyThread(options: ProcessOptions = {}) {
  const world = await processes(GATED)
  const { reprise, ...process } = world.open(options)
  const thread = await reprise.threads.create({ workDir: '/project' })
  const first = thread.send('first')
  const { runId: firstId } = await first.submitted
  await eventually(() => world.runner.running).toEqual([firstId])
  const go = () => world.files.write('/go', '')
  return { world, reprise, thread, first, firstId, go, ...process }
}

test('T-10 a turn behind another one says which, and runs after it', async () => {
  const { world, reprise, thread, first, firstId, go } = await busyThread()
  const second = thread.send('second')
  const { runId } = await second.submitted
  await eventually(async () => (await reprise.runs.get(runId)).waitsFor).toMatchObject({
    code: 'thread-busy',
    runId: firstId,
  })
  await go()
  const results = [await first.result, await second.result]
  expect(results.map(({ run }) => run.status)).toEqual(['completed', 'completed'])
  expect(world.runner.journal.map(({ env }) => env.REPRISE_RUN_ID)).toEqual([firstId, runId])
  expect(await reprise.runs.get(runId)).not.toHaveProperty('waitsFor')
})

test('T-10 a turn of another process that holds the thread is waited for, and named', async () => {
  const { world, thread, first, firstId, go } = await busyThread()
  const { reprise: other } = world.open()
  const waiting = (await other.threads.get(thread.id)).send('second')
  const { runId } = await waiting.submitted
  await eventually(async () => (await other.runs.get(runId)).waitsFor).toMatchObject({
    code: 'thread-busy',
    runId: firstId,
  })
  await go()
  await first.result
  expect((await waiting.result).run.status).toBe('completed')
})

test('T-10 a turn that must not wait is refused at once with the run that is in its way, and leaves the queue', async () => {
  const { world, reprise, thread, firstId, go } = await busyThread()
  const { reprise: other } = world.open()
  for (const from of [thread, await other.threads.get(thread.id)]) {
    const refused = from.send('now', { whenBusy: 'fail' })
    await expect(refused.result).rejects.toMatchObject({
      code: 'busy',
      message: `thread ${thread.id} is busy: ${firstId} is going or waits before this one`,
      hint: `Wait for it, or cancel it: reprise runs cancel ${firstId}.`,
    })
    const { runId } = await refused.submitted
    expect((await reprise.runs.get(runId)).status).toBe('cancelled')
  }
  await go()
})

test('T-10 a turn that must not wait for a slot says how many run', async () => {
  const { reprise, go } = await busyThread({ maxRunning: 1 })
  const other = await reprise.threads.create({ workDir: '/project' })
  await expect(other.send('now', { whenBusy: 'fail' }).result).rejects.toMatchObject({
    code: 'busy',
    message: '1 of 1 turns run: there is no slot for another',
    hint: 'Wait for one of them (`reprise runs --status running`), or raise maxRunning in config.yaml.',
  })
  await go()
})

test.each(['the caller', 'the same process', 'another process'])(
  'T-10 a turn that waits behind another one is cancelled by %s, and the ones behind it go on',
  async who => {
    const { world, reprise, thread, first, go } = await busyThread()
    const second = thread.send('second')
    const third = thread.send('third')
    const { runId, messageId } = await second.submitted
    await third.submitted
    const refused = expect(second.result).rejects.toMatchObject({
      code: 'cancelled',
      message: `run ${runId} was cancelled before its turn came`,
      hint: `Send its prompt again: reprise threads retry ${thread.id} ${messageId}.`,
    })
    if (who === 'the caller') await second.cancel()
    else if (who === 'the same process') await reprise.runs.cancel(runId)
    else await world.open().reprise.runs.cancel(runId)
    await refused
    expect((await reprise.runs.get(runId)).status).toBe('cancelled')
    await go()
    await first.result
    expect((await third.result).run.status).toBe('completed')
    expect(world.runner.journal).toHaveLength(2)
  },
)

test('T-10 a turn that waits for a slot is cancelled by another process within ten seconds', async () => {
  const { world, reprise, go } = await busyThread({ maxRunning: 1 })
  const other = await reprise.threads.create({ workDir: '/project' })
  const waiting = other.send('next')
  const { runId } = await waiting.submitted
  await eventually(async () => (await reprise.runs.get(runId)).waitsFor?.code).toBe('no-slot')
  await world.open().reprise.runs.cancel(runId)
  const refused = expect(waiting.result).rejects.toMatchObject({ code: 'cancelled' })
  world.clock.pass(10_000)
  await refused
  // It gave its place back: the next one gets the slot.
  const after = other.send('after')
  await after.submitted
  await go()
  expect((await after.result).run.status).toBe('completed')
})

test('I9 a turn behind a run whose end could not be written goes on when it is written', async () => {
  let isBroken = true
  const { thread, first, go } = await busyThread({
    store: store => ({
      ...store,
      endRun: async (...end) => {
        if (isBroken) throw new RepriseError('store-full', 'no space', 'make room')
        return store.endRun(...end)
      },
    }),
  })
  const second = thread.send('second')
  await second.submitted
  const refused = expect(first.result).rejects.toMatchObject({ code: 'store-full' })
  await go()
  await refused
  isBroken = false
  expect((await second.result).run.status).toBe('completed')
  expect((await thread.show()).runs.map(({ status }) => status)).toEqual([
    'interrupted',
    'completed',
  ])
})

test('J-8 an attempt of a job that waits for a slot when the process stops says that the job goes on', async () => {
  const { world, reprise, die } = await busyThread({ maxRunning: 1, workers: 1 })
  const { id } = await reprise.jobs.submit({
    prompt: 'job',
    workDir: '/project',
    checkpoints: 'off',
  })
  await eventually(async () => (await reprise.jobs.get(id)).attempts.length).toBe(1)
  await reprise.close()
  die()
  const [run] = await world.store.listRuns({ jobId: id, limit: 1 })
  expect(run).toMatchObject({
    status: 'interrupted',
    failure: {
      class: 'shutdown',
      hint: 'The job goes on when Reprise runs again: reprise serve.',
    },
  })
})
