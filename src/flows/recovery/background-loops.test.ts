// What the process that keeps the queue does in the background while it is open, with time in our hands.
import { expect, test } from 'vitest'
import { eventually, processes } from '../../../test/simulated/processes.ts'
import { RepriseError } from '../../errors.ts'
import type { StoreWithWork } from '../../store/contract/store.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { NO_ARCHIVE } from '../../vault/archive.ts'

const MINUTE = 60_000
const SESSIONS = { pauseAfterMs: 30 * MINUTE, sweepEveryMs: 5 * MINUTE }
const FULL = () => new RepriseError('store-full', 'no space', 'make room')

type World = Awaited<ReturnType<typeof processes>>

/** A process that keeps the queue, with a paused session in sight. */
async function withSession(world: World, store?: (store: StoreWithWork) => StoreWithWork) {
  const { reprise } = world.open({ keepQueue: true, sessions: SESSIONS, ...(store && { store }) })
  const thread = await reprise.threads.create({ workDir: '/project' })
  await thread.send('hello').result
  const state = async () => (await world.store.sessions({ threadId: thread.id }))[0]?.state
  return { reprise, thread, state }
}

test('L-1 a session that nobody uses is paused at the next sweep after its time, not before', async () => {
  const world = await processes()
  const { state } = await withSession(world)
  world.clock.pass(29 * MINUTE)
  await settled(world)
  expect(await state()).toBe('active')
  world.clock.pass(5 * MINUTE)
  await eventually(state).toBe('paused')
})

test('L-1 a process that does not keep the queue leaves sessions as they are', async () => {
  const world = await processes()
  const { reprise } = world.open({ sessions: SESSIONS })
  const thread = await reprise.threads.create({ workDir: '/project' })
  await thread.send('hello').result
  world.clock.pass(60 * MINUTE)
  await settled(world)
  expect((await world.store.sessions({ threadId: thread.id }))[0]?.state).toBe('active')
})

test('L-2 a sweep that fails is tried again at the next one', async () => {
  const world = await processes()
  let sweeps = 0
  const { state } = await withSession(world, store => ({
    ...store,
    sweepSessions: async query => {
      sweeps += 1
      if (sweeps === 2) throw FULL()
      return store.sweepSessions(query)
    },
  }))
  await eventually(() => sweeps).toBe(1)
  world.clock.pass(31 * MINUTE)
  await eventually(() => sweeps).toBe(2)
  await settled(world)
  expect(await state()).toBe('active')
  world.clock.pass(5 * MINUTE)
  await eventually(state).toBe('paused')
})

const ASKS: FakeScript = [
  {
    when: 'choose',
    do: [
      {
        type: 'ask',
        questions: [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }],
      },
    ],
  },
]

/** A question whose process is gone, and another process that keeps the queue. */
async function withQuestion(world: World, store?: (store: StoreWithWork) => StoreWithWork) {
  const questions = { expireAfterMs: 10 * MINUTE }
  const { reprise: asking, die } = world.open({ questions })
  const thread = await asking.threads.create({ workDir: '/project' })
  const { runId } = await thread.send('choose', { questions: 'ask' }).submitted
  const status = async () => (await world.store.run(runId))?.status
  await eventually(status).toBe('waiting')
  die()
  const { reprise } = world.open({ keepQueue: true, questions, ...(store && { store }) })
  await reprise.agents()
  return { status }
}

test('T-7 a question that nobody answers in time ends its run although nobody uses the thread', async () => {
  const world = await processes(ASKS)
  const { status } = await withQuestion(world)
  world.clock.pass(9 * MINUTE)
  await settled(world)
  expect(await status()).toBe('waiting')
  world.clock.pass(2 * MINUTE)
  await eventually(status).toBe('interrupted')
})

test('T-7 a look for late questions that fails is tried again a minute later', async () => {
  const world = await processes(ASKS)
  let failures = 0
  const { status } = await withQuestion(world, store => ({
    ...store,
    expireQuestion: async (...late) => {
      failures += 1
      if (failures === 1) throw FULL()
      return store.expireQuestion(...late)
    },
  }))
  world.clock.pass(11 * MINUTE)
  await eventually(() => failures).toBe(1)
  await settled(world)
  expect(await status()).toBe('waiting')
  world.clock.pass(MINUTE)
  await eventually(status).toBe('interrupted')
})

test('V-6 the place of checkpoints whose repository is gone is forgotten, at the start and at every sweep', async () => {
  const world = await processes()
  const place = (name: string) => ({
    jobId: `job_${name}`,
    gitDir: `/no/such/${name}.git`,
    host: null,
  })
  const places = async () => (await world.store.checkpointPlaces()).map(({ jobId }) => jobId)
  await world.store.keepCheckpointPlace(place('first'))
  let tries = 0
  const { reprise } = world.open({
    keepQueue: true,
    sessions: SESSIONS,
    store: store => ({
      ...store,
      workDirsWithoutPlace: async () => {
        throw FULL()
      },
      checkpointPlaces: async query => {
        tries += 1
        if (tries === 2) throw FULL()
        return store.checkpointPlaces(query)
      },
    }),
  })
  await reprise.agents()
  await eventually(places).toEqual([])
  await world.store.keepCheckpointPlace(place('second'))
  await settled(world)
  expect(await places()).toEqual(['job_second'])
  world.clock.pass(5 * MINUTE)
  await eventually(() => tries).toBe(2)
  await settled(world)
  expect(await places()).toEqual(['job_second'])
  world.clock.pass(5 * MINUTE)
  await eventually(places).toEqual([])
})

test.each([
  ['a worker', { workers: 1 }],
  ['a daemon', { keepQueue: true }],
] as const)(
  'V-6 %s clears what a thread that was removed on another host has left on its own',
  async (_, options) => {
    const world = await processes()
    const swept: (readonly string[])[] = []
    const archive = {
      ...NO_ARCHIVE,
      sweep: async (removed: (ids: readonly string[]) => Promise<readonly string[]>) =>
        void swept.push(await removed([removedId, 'thr_never'])),
    }
    const elsewhere = world.open({ dataDir: '/elsewhere' }).reprise
    const { id: removedId } = await elsewhere.threads.create({ workDir: '/project' })
    const output = (threadId: string) => `/here/outputs/${threadId}/output.txt`
    for (const id of [removedId, 'thr_never']) await world.files.write(output(id), 'private')
    const isThere = async (id: string) => (await world.files.stat(output(id))) !== null
    const { reprise } = world.open({
      ...options,
      dataDir: '/here',
      sessions: SESSIONS,
      dependencies: { fileWriter: world.files, archive },
    })
    await reprise.agents()
    await eventually(() => swept).toEqual([[]])
    expect(await isThere(removedId)).toBe(true)
    await (await elsewhere.threads.get(removedId)).remove()
    world.clock.pass(5 * MINUTE)
    await eventually(() => isThere(removedId)).toBe(false)
    await eventually(() => swept).toEqual([[], [removedId]])
    expect(await isThere('thr_never')).toBe(true)
  },
)

test('V-6 J-10 the checkpoints of another host stay known until that host has removed them', async () => {
  const world = await processes()
  const here = { host: 'build-1', pid: 7, startTime: '0' }
  const place = (host: string, gitDir: string) => ({ jobId: `job_${host}`, gitDir, host })
  await world.store.keepCheckpointPlace(place('build-1', '/no/such/a.git'))
  await world.store.keepCheckpointPlace(place('build-2', '/no/such/b.git'))
  await world.store.keepCheckpointPlace(place('build-3', '/shared/c.git'))
  const { reprise } = world.open({
    keepQueue: true,
    sessions: SESSIONS,
    worker: { sharedRoots: ['/shared'] },
    dependencies: { owner: here, isAlive: owner => (owner.host === 'build-1' ? true : null) },
    store: store => ({ ...store, reach: 'hosts' }),
  })
  await reprise.agents()
  const places = async () => (await world.store.checkpointPlaces()).map(({ host }) => host)
  await eventually(places).toEqual(['build-2'])
})

test('nothing happens in the background after Reprise was closed', async () => {
  const world = await processes()
  const asked: string[] = []
  const counting = (store: StoreWithWork): StoreWithWork => ({
    ...store,
    sweepSessions: async query => {
      asked.push('sweep')
      return store.sweepSessions(query)
    },
    checkpointPlaces: async query => {
      asked.push('prune')
      return store.checkpointPlaces(query)
    },
    questions: async query => {
      asked.push('questions')
      return store.questions(query)
    },
  })
  const { reprise } = await withSession(world, counting)
  world.clock.pass(5 * MINUTE)
  await eventually(() => new Set(asked).size).toBe(3)
  await settled(world)
  asked.length = 0
  await reprise.close()
  world.clock.pass(60 * MINUTE)
  await settled(world)
  expect(asked).toEqual([])
})

/** Everything that is due has happened: the store answers one caller after the other. */
async function settled({ store }: World): Promise<void> {
  for (let looks = 0; looks < 10; looks += 1) {
    await store.openRuns()
    await new Promise(resolve => setImmediate(resolve))
  }
}
