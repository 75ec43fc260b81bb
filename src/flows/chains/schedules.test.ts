// E-9: chains on a schedule, with time in our hands.
import { expect, test } from 'vitest'
import {
  eventually,
  type ProcessOptions,
  processes,
  START,
} from '../../../test/simulated/processes.ts'
import { RepriseError } from '../../errors.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

const HOUR = 3_600_000
const { policy } = sampleMandate()
const output = { verdict: 'resolved', summary: 'well', reason: 'because', findings: [] }
const RESOLVES: FakeScript = [{ do: [{ type: 'verdict', output }] }]
const HOURLY = { cron: '0 * * * *', timezone: 'UTC' }

async function open(script: FakeScript = RESOLVES, options: ProcessOptions = {}) {
  const world = await processes(script)
  const { reprise } = world.open({ keepQueue: true, ...options })
  type Wanted = Parameters<typeof reprise.schedules.create>[0]
  const create = (change: Partial<Wanted> = {}) =>
    reprise.schedules.create({
      policy,
      prompt: 'check',
      workDir: '/project',
      recurrence: HOURLY,
      ...change,
    })
  const chains = () => reprise.chains.list()
  /** Lets time pass in steps, so that the engine looks between them for what is due. */
  const later = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += HOUR / 4) {
      world.clock.pass(HOUR / 4)
      for (let looks = 0; looks < 20; looks += 1) {
        await world.store.openRuns()
        await new Promise(resolve => setTimeout(resolve, 1))
      }
    }
  }
  return { world, reprise, create, chains, later }
}

test('E-9 a schedule is stored as it was asked for, and starts chains so', async () => {
  const { world, reprise, create, chains } = await open()
  const schedule = await create({ maxTier: 2, budgetUsd: 3, dryRun: true, agent: 'claude-code' })
  expect(schedule).toMatchObject({
    agent: 'claude-code',
    prompt: 'check',
    workDir: '/project',
    maxTier: 2,
    budgetUsd: 3,
    dryRun: true,
    nextAt: START + HOUR,
    lastChainId: null,
    skipped: 0,
    lastSkippedAt: null,
    createdAt: START,
  })
  expect(await reprise.schedules.list()).toEqual([schedule])
  world.clock.pass(HOUR)
  await eventually(async () => (await chains()).map(({ status }) => status)).toEqual(['resolved'])
  const [chain] = await chains()
  expect(chain).toMatchObject({
    scheduleId: schedule.id,
    maxTier: 2,
    budgetUsd: 3,
    dryRun: true,
    prompt: 'check',
  })
  const [later] = await reprise.schedules.list()
  expect(later).toMatchObject({ nextAt: START + 2 * HOUR, lastChainId: chain?.id, skipped: 0 })
})

test('E-9 a schedule without limits of its own has those of its policy, and the agent of the policy or the default one', async () => {
  const findPolicy = async () => ({ ...policy, agent: 'claude-code' })
  const { create } = await open(RESOLVES, { findPolicy, defaultAgent: 'none such' })
  expect(await create({ policy: 'by name', sandbox: 'none' })).toMatchObject({
    agent: 'claude-code',
    maxTier: null,
    budgetUsd: null,
    dryRun: false,
    policy: { sandbox: 'none' },
  })
  await expect(create()).rejects.toMatchObject({ code: 'not-found' })
})

test.each([
  ['a prompt without a word', { prompt: ' ' }],
  ['a work dir that is not there', { workDir: '/nowhere' }],
  ['a tier that the policy does not have', { maxTier: 9 }],
  ['a budget below nothing', { budgetUsd: -1 }],
  ['a time that is none', { recurrence: { cron: 'at noon' } }],
] as const)('U-4 a schedule with %s is refused, and nothing is stored', async (_, change) => {
  const { reprise, create } = await open()
  await expect(create(change)).rejects.toMatchObject({ code: 'bad-input' })
  expect(await reprise.schedules.list()).toEqual([])
})

test('E-9 a schedule that was removed starts nothing more; one that is not there cannot be removed', async () => {
  const { reprise, create, chains, later } = await open()
  const { id } = await create()
  await reprise.schedules.remove(id)
  await later(3 * HOUR)
  expect(await chains()).toEqual([])
  await expect(reprise.schedules.remove(id)).rejects.toMatchObject({
    code: 'not-found',
    message: `there is no schedule ${id}`,
    hint: 'Run `reprise schedules` to see their ids.',
  })
})

test('E-9 a cycle that would overlap is skipped and counted, and the next one starts', async () => {
  const { world, reprise, create, chains } = await open([
    {
      when: 'check',
      once: true,
      do: [
        { type: 'waitForFile', path: '/go' },
        { type: 'verdict', output },
      ],
    },
    ...RESOLVES,
  ])
  await create()
  const skipped = async () => (await reprise.schedules.list())[0]?.skipped
  world.clock.pass(HOUR)
  await eventually(() => world.runner.running.length).toBe(1)
  for (const times of [1, 2]) {
    await eventually(async () => {
      world.clock.pass(HOUR / 4)
      return skipped()
    }).toBe(times)
  }
  expect(await chains()).toHaveLength(1)
  const [busy] = await reprise.schedules.list()
  expect(busy?.lastSkippedAt).toBeGreaterThanOrEqual(START + 3 * HOUR)
  await world.files.write('/go', '')
  await eventually(async () => (await chains())[0]?.status).toBe('resolved')
  await eventually(async () => {
    world.clock.pass(HOUR / 4)
    return (await chains()).length
  }).toBe(2)
})

test('E-9 a store that fails when a cycle is due is asked again a second later', async () => {
  let failures = 1
  const { world, create, chains } = await open(RESOLVES, {
    store: store => ({
      ...store,
      takeCycle: async (...cycle) => {
        if (failures-- > 0) throw new RepriseError('store-full', 'no space', 'make room')
        return store.takeCycle(...cycle)
      },
    }),
  })
  await create()
  world.clock.pass(HOUR)
  await eventually(() => failures).toBe(0)
  await eventually(async () => {
    world.clock.pass(1_000)
    return (await chains()).map(({ status }) => status)
  }).toEqual(['resolved'])
})

test('E-9 a cycle that cannot start is skipped, and the schedule stays', async () => {
  const { world, reprise, create, chains } = await open()
  await create()
  await world.files.remove('/bin/agent')
  const nextAt = async () => (await reprise.schedules.list())[0]?.nextAt
  for (const next of [2, 3]) {
    world.clock.pass(HOUR)
    await eventually(nextAt).toBe(START + next * HOUR)
  }
  expect(await chains()).toEqual([])
})

test('E-9 only a process that keeps the queue starts what is due', async () => {
  const { world, create, chains, later } = await open(RESOLVES, { keepQueue: false })
  await create()
  await later(2 * HOUR)
  expect(await chains()).toEqual([])
  const { reprise } = world.open({ keepQueue: true })
  await reprise.agents()
  await eventually(async () => (await chains()).map(({ status }) => status)).toEqual(['resolved'])
})

test('E-9 J-1 a daemon on the host of its directory starts the chain of a schedule; a repository is for all of them', async () => {
  const world = await processes(RESOLVES)
  let pid = 0
  const on = (host: string, options: ProcessOptions = {}) =>
    world.open({
      workers: 0,
      ...options,
      store: store => ({ ...store, reach: 'hosts' }),
      dependencies: {
        owner: { host, pid: ++pid, startTime: '0' },
        isAlive: owner => (owner.host === host ? true : null),
      },
    }).reprise
  const here = on('build-1')
  const wanted = { policy, prompt: 'check', recurrence: HOURLY }
  const { id } = await here.schedules.create({ ...wanted, workDir: '/project' })
  const daemons = [on('build-2', { keepQueue: true })]
  await Promise.all(daemons.map(daemon => daemon.agents()))
  world.clock.pass(HOUR)
  await eventually(() => world.store.waitingLanes('schedules')).toEqual(['host=build-1'])
  expect(await here.chains.list()).toEqual([])
  await on('build-1', { keepQueue: true }).agents()
  const chains = async () => (await here.chains.list()).map(({ scheduleId }) => scheduleId)
  await eventually(chains).toEqual([id])

  const workspace = { repository: 'https://example.org/server.git', ref: 'main' }
  const anywhere = await here.schedules.create({ ...wanted, workspace })
  const stored = { ...workspace, commit: null }
  expect(anywhere).toMatchObject({ workDir: null, workspace: stored, host: null })
  expect(await world.store.waitingLanes('schedules')).toContain('')
  const both = here.schedules.create({ ...wanted, workspace, workDir: '/project' })
  await expect(both).rejects.toMatchObject({ code: 'bad-input' })
})
