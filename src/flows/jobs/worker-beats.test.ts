// When a worker tells the store that it lives, and what it says.
import { expect, test } from 'vitest'
import { listWorkers, WorkerPresence } from './worker-presence.ts'

const settled = () => new Promise(resolve => setImmediate(resolve))

function world() {
  const beats: { active: number; draining: boolean }[] = []
  const lives: number[] = []
  const sleeps: { ms: number; signal: AbortSignal; wake(): void }[] = []
  const removed: string[] = []
  let fails = false
  const store = {
    beatWorker: async (beat: { active: number; draining: boolean }, liveMs: number) => {
      if (fails) throw new Error('the store is away')
      beats.push(beat)
      lives.push(liveMs)
    },
    removeWorker: async (id: string) => {
      if (fails) throw new Error('the store is away')
      removed.push(id)
    },
  }
  const clock = {
    sleep: (ms: number, signal: AbortSignal) =>
      new Promise<void>(resolve => {
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', () => resolve())
        sleeps.push({ ms, signal, wake: resolve })
      }),
  }
  const dependencies = {
    ...{ store, clock, timing: { workerBeatMs: 1_000 }, random: { id: () => 'wrk_1' } },
    ...{
      owner: { pid: 7, startTime: '1' },
      offer: { host: 'here' },
      agents: new Map([['one', {}]]),
    },
  }
  const presence = new WorkerPresence(dependencies as never, 3)
  const setFails = (now: boolean) => {
    fails = now
  }
  const pass = async () => {
    sleeps.pop()?.wake()
    await settled()
  }
  return { presence, beats, lives, sleeps, removed, setFails, pass }
}

test('J-8 a worker says what it offers, again and again, and lives for four beats', async () => {
  const { presence, beats, lives, sleeps, pass } = world()
  await presence.start()
  const said = {
    id: 'wrk_1',
    pid: 7,
    startTime: '1',
    host: 'here',
    agents: ['one'],
    concurrency: 3,
  }
  expect(beats).toMatchObject([{ ...said, active: 0, draining: false }])
  expect([lives, sleeps.map(({ ms }) => ms)]).toEqual([[4_000], [1_000]])
  await pass()
  expect(beats).toHaveLength(2)
  expect(sleeps.at(-1)?.ms).toBe(1_000)
  await presence.close()
})

test('J-8 a worker reports changes of its load that come close together at once', async () => {
  const { presence, beats, sleeps, pass } = world()
  await presence.start()
  const work = Promise.withResolvers<never>()
  const handler = presence.counting(() => work.promise)
  const two = [handler({} as never), handler({} as never)]
  await settled()
  expect([beats.length, sleeps.at(-1)?.ms]).toEqual([1, 250])
  await pass()
  expect(beats.at(-1)).toMatchObject({ active: 2 })
  work.reject(new Error('the handler failed'))
  await Promise.allSettled(two)
  await settled()
  await pass()
  expect(beats.at(-1)).toMatchObject({ active: 0, draining: false })
  presence.drain()
  await settled()
  await pass()
  expect(beats.at(-1)).toMatchObject({ draining: true })
  await presence.close()
})

test('J-8 a worker that closes says nothing more and is gone, and goes on beating after the store failed', async () => {
  const { presence, beats, removed, setFails, pass } = world()
  await presence.start()
  setFails(true)
  await pass()
  setFails(false)
  await pass()
  expect(beats).toHaveLength(2)
  await presence.close()
  expect([beats.length, removed]).toEqual([2, ['wrk_1']])
  const other = world()
  await other.presence.start()
  other.setFails(true)
  await other.presence.close()
  expect(other.removed).toEqual([])
})

test('J-8 a worker whose process is dead is gone; of another host only its beat is known', async () => {
  const workers = async () => [
    { id: 'a', pid: 1, startTime: '1', state: 'working' },
    { id: 'b', pid: 2, startTime: '1', state: 'working' },
    { id: 'c', pid: 3, startTime: '1', state: 'working' },
  ]
  const alive = (owner: { pid: number; startTime: string }) =>
    owner.startTime === '1' && owner.pid === 1 ? false : owner.pid === 2 ? true : null
  const listed = await listWorkers({ store: { workers }, isAlive: alive } as never)
  expect(listed).toEqual([
    { id: 'a', pid: 1, state: 'gone' },
    { id: 'b', pid: 2, state: 'working' },
    { id: 'c', pid: 3, state: 'working' },
  ])
})
