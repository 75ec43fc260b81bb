// Followers of a turn and of a job over several runs, and the verbs for events, over a log that is a table: no process, no time.
import { describe, expect, test } from 'vitest'
import type { Run } from '../../core/run/run.ts'
import type { EventPlace } from '../../core/run/run-events.ts'
import type { StoredEvent } from '../../core/run/stored-events.ts'
import type { Dependencies } from '../dependencies.ts'
import { eventsApi } from './events-api.ts'
import { followStoredJob, jobRuns } from './job-events.ts'
import type { FollowOptions } from './run-log.ts'
import { lastRunOf, turnEvents } from './turn-events.ts'

const text = (runId: string, seq: number): StoredEvent => ({
  runId,
  seq,
  at: seq,
  type: 'text',
  json: '{"type":"text","text":"x"}',
})
const ended = (runId: string, seq: number, continuedBy: string | null = null): StoredEvent => ({
  ...text(runId, seq),
  type: 'ended',
  json: JSON.stringify({ type: 'ended', continuedBy }),
})

/** Two runs of one turn and of one job: the second takes over. */
const EVENTS = [
  ...[text('run_1', 1), ended('run_1', 2, 'run_2')],
  ...[text('run_2', 1), text('run_2', 2), ended('run_2', 3)],
]
const RUNS = ['run_2', 'run_1'].map(id => ({ id, jobId: 'job_1', threadId: 'thr_1' }))

type World = {
  /** Of the job; `null`: it was removed. */
  status?: string | null
  runs?: readonly { readonly id: string; readonly jobId: string }[]
  onEvent?: (event: StoredEvent) => void
}

function world({ status = 'completed', runs = RUNS, onEvent = () => {} }: World = {}) {
  const cancelled: string[] = []
  const followed: FollowOptions[] = []
  const closing = new AbortController()
  const counts = { looks: 0 }
  const state = { status, runs }
  const store = {
    job: async () => (state.status === null ? null : { id: 'job_1', status: state.status }),
    listRuns: async ({ limit }: { readonly limit: number }) => state.runs.slice(0, limit),
    run: async (id: string) => state.runs.find(run => run.id === id) ?? null,
    requestCancel: async (id: string) => void cancelled.push(id),
    events: async (id: string, after: number, limit: number) =>
      EVENTS.filter(one => one.runId === id && one.seq > after).slice(0, limit),
    feed: async (after: number, limit: number) =>
      EVENTS.map((one, at) => ({ ...one, at: 1_000_000 * (at + 1), position: at + 1 }))
        .filter(({ position }) => position > after)
        .slice(0, limit),
    lastPosition: async () => EVENTS.length,
    lastChange: async () => 9,
    changeBefore: async (at: number) => at,
  }
  const log = {
    async *followRun(runId: string, following: FollowOptions = {}) {
      followed.push(following)
      for (const event of EVENTS) {
        if (event.runId !== runId || event.seq <= (following.after ?? 0)) continue
        onEvent(event)
        yield event
      }
    },
    async *followAll() {
      yield* EVENTS
    },
    /** Looks twice at most: the second time the job has failed. */
    async lookUntilFound<Found>(look: () => Promise<Found | null>) {
      for (; counts.looks < 10; counts.looks++) {
        const found = await look()
        if (found !== null) return found
        state.status = 'dead'
      }
      return null
    },
  }
  const live = { closing: closing.signal }
  const dependencies = { store, log, live, clock: { now: () => 5 } } as unknown as Dependencies
  return { dependencies, cancelled, followed, closing, counts }
}

const placesOf = async (events: AsyncIterable<EventPlace>) => {
  const places: string[] = []
  for await (const { runId, seq } of events) places.push(`${runId} ${seq}`)
  return places
}
const ALL = EVENTS.map(({ runId, seq }) => `${runId} ${seq}`)
const never = new AbortController().signal

describe('a turn that went on in another run', () => {
  const first = { id: 'run_1', status: 'failed', continuedBy: 'run_2', threadId: 'thr_1' } as Run

  test('is given whole to its sender, until its result is known', async () => {
    const { dependencies, followed } = world()
    const over = new AbortController().signal
    expect(await placesOf(turnEvents(async () => dependencies, 'run_1', over))).toEqual(ALL)
    expect(followed).toMatchObject([{ over }, { over }])
  })

  test('ends with its last run, and waits in the queue of its thread for it', async () => {
    const { dependencies, followed, cancelled, closing } = world()
    expect(await lastRunOf(dependencies, first, never)).toMatchObject({ id: 'run_2' })
    const waiting = { over: closing.signal, waitingOn: 'thr_1' }
    expect(followed).toMatchObject([waiting, waiting])
    expect(cancelled).toEqual([])
  })

  test.each([
    ['completed', null, 0],
    ['waiting', null, 1],
    ['failed', 'run_2', 2],
  ] as const)(
    'is looked for only if it is not over: %s, continued by %s',
    async (status, continuedBy, runs) => {
      const { dependencies, followed } = world()
      const run = { ...first, id: runs === 1 ? 'run_2' : 'run_1', status, continuedBy } as Run
      await lastRunOf(dependencies, run, never)
      expect(followed).toHaveLength(runs)
    },
  )

  test.each([
    ['before', null, ['run_1', 'run_2']],
    ['in its first run', 'run_1', ['run_1', 'run_2']],
    ['in its second run', 'run_2', ['run_2']],
  ] as const)('is cancelled %s in the run that it has come to', async (_, at, expected) => {
    const enough = new AbortController()
    const cancelAt = (event: StoredEvent) => {
      if (event.runId === at && event.seq === 2) enough.abort()
    }
    if (at === null) enough.abort()
    const { dependencies, cancelled } = world({ onEvent: cancelAt })
    await lastRunOf(dependencies, first, enough.signal)
    expect(cancelled).toEqual(expected)
    enough.abort()
    expect(cancelled).toEqual(expected)
  })
})

describe('a job', () => {
  const follow = (given: World, after: EventPlace | null = null) =>
    placesOf(followStoredJob(world(given).dependencies, 'job_1', { after }))

  test.each<[string, World, EventPlace | null, readonly string[]]>([
    ['from its beginning', {}, null, ALL],
    ['after an event', {}, { runId: 'run_1', seq: 1 }, ALL.slice(1)],
    ['after its first run', {}, { runId: 'run_1', seq: 2 }, ALL.slice(2)],
    ['after an event of its second run', {}, { runId: 'run_2', seq: 1 }, ALL.slice(3)],
    ['that has no run, and is over', { runs: [] }, null, []],
    ['that has no run yet, and fails', { runs: [], status: 'queued' }, null, []],
    ['that waits after its second run, and fails', { status: 'waiting' }, null, ALL],
  ])('is followed %s', async (_, given, after, expected) => {
    expect(await follow(given, after)).toEqual(expected)
  })

  test('is looked at again only while it is open', async () => {
    const over = world()
    await placesOf(followStoredJob(over.dependencies, 'job_1', { after: null }))
    expect(over.counts.looks).toBe(0)
    const open = world({ status: 'waiting' })
    await placesOf(followStoredJob(open.dependencies, 'job_1', { after: null }))
    expect(open.counts.looks).toBe(1)
  })

  test.each([
    ['another job', [{ id: 'run_1', jobId: 'job_2' }]],
    ['no run', []],
  ])('is not followed from a place in %s', async (_, runs) => {
    await expect(follow({ runs }, { runId: 'run_1', seq: 1 })).rejects.toMatchObject({
      code: 'not-found',
      message: 'run_1 is no attempt of job job_1',
    })
  })

  test('gives its runs in order, and says whether more may come', async () => {
    const order = ['run_1', 'run_2']
    for (const [status, isOver] of [['waiting', false] as const, ['dead', true] as const]) {
      const found = await jobRuns(world({ status }).dependencies, 'job_1')
      expect([found.runs.map(({ id }) => id), found.isOver]).toEqual([order, isOver])
    }
    const removed = jobRuns(world({ status: null }).dependencies, 'job_1')
    await expect(removed).rejects.toMatchObject({ code: 'not-found' })
  })
})

test('the verbs for events read and follow a run, a turn, a job and everything', async () => {
  const { dependencies } = world()
  const runOf = async (id: string) => ({ id }) as Run
  const { events, follow, turns, followJob, log } = eventsApi({
    ready: async () => dependencies,
    runOf,
  })
  const place = { runId: 'run_1', seq: 1 }
  expect((await events('run_2')).map(({ seq }) => seq)).toEqual([1, 2, 3])
  expect((await events('run_2', 1, 1)).map(({ seq }) => seq)).toEqual([2])
  expect(await placesOf(follow('run_2'))).toEqual(ALL.slice(2))
  expect(await placesOf(follow('run_2', { after: 2 }))).toEqual(ALL.slice(4))
  expect(await placesOf(turns.follow('run_1'))).toEqual(ALL)
  expect(await placesOf(turns.follow('run_1', { after: place }))).toEqual(ALL.slice(1))
  expect(await placesOf(followJob('job_1'))).toEqual(ALL)
  expect(await placesOf(followJob('job_1', { after: place }))).toEqual(ALL.slice(1))
  expect(await placesOf(log.followJob('job_1', place, never))).toEqual(ALL.slice(1))
  expect((await log.runsOfJob('job_1')).isOver).toBe(true)
  expect((await log.ofAll(3, 1)).map(({ position }) => position)).toEqual([4])
  const everything = log.followAll({ position: 0, change: 0 }, never)
  expect(await placesOf(everything as AsyncIterable<EventPlace & object>)).toEqual(ALL)
  expect([await log.lastPosition(), await log.lastChange()]).toEqual([5, 9])
})

test('changes are given from a minute before an event on, because their times are all that can be compared', async () => {
  const { dependencies } = world()
  const runOf = async (id: string) => ({ id }) as Run
  const { log } = eventsApi({ ready: async () => dependencies, runOf })
  expect(await log.changeBefore(0)).toBe(0)
  expect(await log.changeBefore(2)).toBe(2_000_000 - 60_000)
  expect(await log.changeBefore(99)).toBe(0)
})
