// Which processes are there after a turn, where Reprise keeps them, on the fake agent in this process.
import { expect, test } from 'vitest'
import { eventually, processes } from '../../../test/simulated/processes.ts'
import { openThreads } from '../../../test/simulated/thread-world.ts'

test('W-1 the report counts the turns on kept processes and on new ones', async () => {
  const { reprise, create } = await openThreads([], { warm: true })
  const thread = await create()
  await thread.send('one').result
  await thread.send('two').result
  await thread.send('three').result
  expect(await reprise.warm()).toMatchObject({ processes: 1, turns: { new: 1, warm: 2 } })
})

test('W-1 F-2 the process of an agent that did not continue the session is not kept', async () => {
  const world = await processes([{ when: 'resume', once: true, do: [{ type: 'wrongId' }] }])
  const { reprise } = world.open()
  const { id } = await reprise.threads.create({ workDir: '/project' })
  await (await reprise.threads.get(id)).send('one').result
  const { reprise: warm } = world.open({ warm: true })
  const thread = await warm.threads.get(id)
  const { run } = await thread.send('two').result
  expect(run).toMatchObject({ status: 'completed', decision: { action: 'replay' } })
  await eventually(() => world.runner.running).toEqual([run.id])
  expect((await warm.warm())?.processes).toBe(1)
})

test('W-1 the process of an agent that never named its session is not kept', async () => {
  const { world, reprise, create } = await openThreads([{ do: [{ type: 'noInit' }] }], {
    warm: true,
  })
  await (await create()).send('one').result
  expect((await reprise.warm())?.processes).toBe(0)
  await eventually(() => world.runner.running).toEqual([])
})

test('W-1 a process that broke off is not kept, and the next turn has a new one', async () => {
  const { reprise, create } = await openThreads(
    [{ when: 'one', do: [{ type: 'killSelf', signal: 'SIGKILL' }] }],
    { warm: true },
  )
  const thread = await create()
  expect((await thread.send('one').result).run.status).toBe('interrupted')
  expect((await reprise.warm())?.processes).toBe(0)
  expect((await thread.send('two').result).run).toMatchObject({ status: 'completed' })
})

test('W-1 F-1 a process whose end could not be recorded is not kept: nobody knows where its session stands', async () => {
  const failing = () => Promise.reject(new Error('the store is broken'))
  const { world, reprise, create } = await openThreads([], {
    warm: true,
    store: store => ({ ...store, endRun: failing }),
  })
  const { result } = (await create()).send('one')
  await expect(result).rejects.toThrow('the store is broken')
  await eventually(() => world.runner.running).toEqual([])
  expect((await reprise.warm())?.processes).toBe(0)
})

test('W-1 a process that goes on a session from another directory is kept', async () => {
  const world = await processes()
  await world.files.makeDirectory('/other')
  const { reprise } = world.open()
  const { id } = await reprise.threads.create({ workDir: '/project' })
  await (await reprise.threads.get(id)).send('one').result
  const { reprise: warm } = world.open({ warm: true, resume: { onWorkDirChange: 'relocate' } })
  const thread = await warm.threads.get(id)
  const { run } = await thread.send('two', { workDir: '/other' }).result
  expect(run).toMatchObject({ status: 'completed', decision: { action: 'resume' } })
  expect((await warm.warm())?.processes).toBe(1)
})
