// Events that a dead process left on disk: the process that ends the run stores each of them once, or keeps all of them out.
import { expect, test } from 'vitest'
import type { NewEvent } from '../../core/run/stored-events.ts'
import { keepOutLeftEvents, storeLeftEvents } from './left-events.ts'

const event = (json: string): NewEvent => ({ at: 1, type: 'text', json })
const LEASE = { threadId: 'thr_1', token: 5, owner: { host: 'h', pid: 1, startTime: '0' } }

type Given = {
  readonly left?: readonly string[] | null
  readonly lease?: object
  readonly stored?: readonly NewEvent[]
  readonly status?: string | null
  readonly alive?: boolean | null
}

function world(given: Given = {}) {
  const notes: string[] = []
  const { left = ['a', 'b'], stored = [], status = 'running' } = given
  const events = left?.map(event)
  const found = left && {
    events,
    lease: { ...LEASE, ...given.lease },
    remove: () => void notes.push('remove'),
    keepOut: (reason: string) => void notes.push(`keep out: ${reason}`),
  }
  const pages: [number, number][] = []
  const dependencies = {
    spool: {
      left: (id: string) => (id === 'run_1' ? found : null),
      runs: () => ['run_0', 'run_1'],
    },
    isAlive: () => (given.alive === undefined ? false : given.alive),
    store: {
      events: async (_: string, after: number, limit: number) => {
        pages.push([after, limit])
        const all = stored.map((one, index) => ({ ...one, seq: index + 1 }))
        return all.slice(after, after + limit)
      },
      appendEvents: async (_: object, __: string, batch: readonly NewEvent[]) =>
        void notes.push(`store ${batch.map(({ json }) => json).join()}`),
      run: async () => (status === null ? null : { status }),
    },
  }
  return { dependencies: dependencies as never, notes, pages }
}

async function storing(given: Given, lease: object = LEASE) {
  const { dependencies, notes } = world(given)
  await storeLeftEvents(dependencies, lease as never, 'run_1')
  return notes
}

test('I10 what is not stored yet is stored once and in order; then the file goes', async () => {
  expect(await storing({})).toEqual(['store a,b', 'remove'])
  expect(await storing({ stored: [event('a')] })).toEqual(['store b', 'remove'])
  expect(await storing({ stored: [event('x'), event('a'), event('y'), event('b')] })).toEqual([
    'remove',
  ])
  expect(await storing({ left: null })).toEqual([])
  await expect(storeLeftEvents({} as never, LEASE as never, 'run_1')).resolves.toBeUndefined()
})

test.each([
  ['at another time', { at: 2 }],
  ['of another type', { type: 'tool' }],
  ['with other words', { json: 'z' }],
])('I10 an event %s is another one', async (_, change) => {
  expect(await storing({ stored: [{ ...event('a'), ...change }] })).toEqual(['store a,b', 'remove'])
})

test('I10 the log of a run is read to its end, page by page', async () => {
  const many = Array.from({ length: 1_000 }, (_, index) => event(`old ${index}`))
  const { dependencies, notes, pages } = world({ stored: [...many, event('a')] })
  await storeLeftEvents(dependencies, LEASE as never, 'run_1')
  expect(pages).toEqual([
    [0, 1_000],
    [1_000, 1_000],
  ])
  expect(notes).toEqual(['store b', 'remove'])
})

test('I2 the next holder stores what is left; a later one, or one of another thread, keeps it out', async () => {
  const out = ['keep out: another process has taken over the run meanwhile']
  expect(await storing({}, { ...LEASE, token: 6 })).toEqual(['store a,b', 'remove'])
  expect(await storing({}, { ...LEASE, token: 7 })).toEqual(out)
  expect(await storing({}, { ...LEASE, threadId: 'thr_2' })).toEqual(out)
})

test.each<[string, Given, boolean]>([
  ['of a dead process whose run has ended', { status: 'failed' }, true],
  ['of a run that is gone', { status: null }, true],
  ['of a run that somebody still has to end', { status: 'running' }, false],
  ['of a process that lives', { status: 'failed', alive: true }, false],
  ['of a process on another host', { status: 'failed', alive: null }, false],
])('I2 events %s are kept out: %j', async (_, given, isOut) => {
  const { dependencies, notes } = world(given)
  await keepOutLeftEvents(dependencies)
  expect(notes).toEqual(
    isOut ? ['keep out: the run was ended without them, by another process'] : [],
  )
})

test('a store that cannot be away has no events on disk', async () => {
  await expect(keepOutLeftEvents({} as never)).resolves.toBeUndefined()
})
