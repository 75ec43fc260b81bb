// Which processes wait, and when they end: with the test's own clock, and processes that end when their input ends.
import { expect, test } from 'vitest'
import { DEFAULT_WARM, type WarmSettings } from '../../core/warm/warm-settings.ts'
import { type KeptProcess, KeptProcesses } from './kept-processes.ts'

/** Time passes only when the test says so. */
function steppedClock() {
  let now = 0
  const sleepers = new Set<{ readonly at: number; wake(): void }>()
  return {
    now: () => now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>(resolve => {
        const sleeper = {
          at: now + ms,
          wake: () => {
            sleepers.delete(sleeper)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', sleeper.wake)
      }),
    /** How many wait for a time that has not come. */
    sleepers: () => sleepers.size,
    pass: async (ms: number) => {
      now += ms
      for (const sleeper of [...sleepers]) if (sleeper.at <= now) sleeper.wake()
      await settled()
    },
  }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

function world(settings: Partial<WarmSettings> = {}) {
  const clock = steppedClock()
  const warm = new KeptProcesses({ ...DEFAULT_WARM, ...settings }, clock)
  const notes: string[] = []
  const kept = (
    name: string,
    change: { agent?: string; isStubborn?: boolean; of?: string } = {},
  ) => {
    const exit = Promise.withResolvers<void>()
    const stirs = Promise.withResolvers<void>()
    const process = {
      exit: exit.promise,
      endInput: () => {
        notes.push(`end ${name}`)
        if (!change.isStubborn) exit.resolve()
      },
      stop: async (reason: string) => {
        notes.push(`stop ${name} ${reason}`)
        exit.resolve()
      },
    }
    const leftAt = { threadId: change.of ?? `thr_${name}`, agent: change.agent ?? 'one' }
    const now = clock.now()
    const one = {
      live: { process, stirs: () => stirs.promise, step: async () => null },
      leftAt,
      ...{ startedAt: now, restsSince: now, memoryBytes: 10 },
    } as unknown as KeptProcess
    warm.keep(one)
    return { one, stir: stirs.resolve }
  }
  return { clock, warm, notes, kept }
}

test('W-1 a process is there until a turn takes it; another thread or another agent does not get it', () => {
  const { warm, notes, kept } = world()
  const { one } = kept('a')
  for (const other of [
    { threadId: 'thr_b', agent: 'one' },
    { threadId: 'thr_a', agent: 'two' },
  ])
    expect([warm.has(other), warm.take(other)]).toEqual([false, null])
  const wanted = { threadId: 'thr_a', agent: 'one' }
  expect([warm.has(wanted), warm.take(wanted)]).toEqual([true, one])
  expect([warm.has(wanted), warm.take(wanted), notes]).toEqual([false, null, []])
})

test('W-1 a thread keeps one process for each agent: a later one ends the one before', () => {
  const { warm, notes, kept } = world()
  kept('a', { of: 'thr_1' })
  kept('b', { of: 'thr_1', agent: 'two' })
  kept('c', { of: 'thr_2' })
  expect([notes, warm.report().processes]).toEqual([[], 3])
  kept('d', { of: 'thr_1' })
  expect([notes, warm.report().processes]).toEqual([['end a'], 3])
})

test('W-1 the report has how many wait, their memory, and whose processes turns have used', () => {
  const { warm, kept } = world()
  for (const how of ['new', 'warm', 'warm'] as const) warm.count(how)
  expect(warm.report()).toEqual({ processes: 0, memoryBytes: 0, turns: { warm: 2, new: 1 } })
  kept('a')
  kept('b')
  expect(warm.report()).toMatchObject({ processes: 2, memoryBytes: 20 })
})

test('W-1 a process that waited for too long ends at that time, and a later one at its own', async () => {
  const { clock, notes, kept } = world({ idleMs: 100 })
  kept('a')
  await clock.pass(60)
  kept('b')
  await clock.pass(39)
  expect(notes).toEqual([])
  await clock.pass(1)
  expect(notes).toEqual(['end a'])
  await clock.pass(60)
  expect(notes).toEqual(['end a', 'end b'])
  // Nobody waits for anything any more.
  expect(clock.sleepers()).toBe(0)
})

test('W-1 the number of processes is bounded: the least recently used ends', async () => {
  const { clock, notes, kept } = world({ max: 1 })
  kept('a')
  await clock.pass(1)
  kept('b')
  expect(notes).toEqual(['end a'])
})

test('W-1 a process that says anything by itself, or ends, is not kept', async () => {
  const { warm, notes, kept } = world()
  const { stir } = kept('a')
  kept('b')
  stir()
  await settled()
  expect([notes, warm.report().processes]).toEqual([['end a'], 1])
})

test('W-1 what a process that was taken says is none of our business', async () => {
  const { warm, notes, kept } = world()
  const { stir } = kept('a')
  warm.take({ threadId: 'thr_a', agent: 'one' })
  stir()
  await settled()
  expect(notes).toEqual([])
})

test('U-3 a process that does not end with its input is stopped after three seconds', async () => {
  const { clock, warm, notes, kept } = world()
  const { one } = kept('a', { isStubborn: true })
  warm.take(one.leftAt)
  const ended = warm.end(one.live)
  await clock.pass(2_999)
  expect(notes).toEqual(['end a'])
  await clock.pass(1)
  await ended
  expect(notes).toEqual(['end a', 'stop a shutdown'])
})

test('U-3 a process that ends with its input is not stopped, and nobody waits for it any longer', async () => {
  const { clock, warm, notes, kept } = world()
  const { one } = kept('a')
  warm.take(one.leftAt)
  await clock.pass(DEFAULT_WARM.maxAgeMs)
  await warm.end(one.live)
  expect([notes, clock.sleepers()]).toEqual([['end a'], 0])
})

test('W-1 the processes of a thread that is removed are gone when that resolves', async () => {
  const { clock, warm, notes, kept } = world()
  kept('a', { of: 'thr_1', isStubborn: true })
  kept('b', { of: 'thr_1', agent: 'two' })
  kept('c', { of: 'thr_2' })
  const ended = warm.endThread('thr_1').then(() => notes.push('resolved'))
  await settled()
  expect(notes).toEqual(['end a', 'end b'])
  await clock.pass(3_000)
  await ended
  expect(notes).toEqual(['end a', 'end b', 'stop a shutdown', 'resolved'])
  expect(warm.report().processes).toBe(1)
})

test('U-3 closing ends all, waits for them, and ends what comes later', async () => {
  const { clock, warm, notes, kept } = world()
  kept('a', { isStubborn: true })
  const closed = warm.close().then(() => notes.push('closed'))
  await clock.pass(3_000)
  await closed
  expect(notes).toEqual(['end a', 'stop a shutdown', 'closed'])
  kept('b')
  expect([notes.at(-1), warm.report().processes]).toEqual(['end b', 0])
})
