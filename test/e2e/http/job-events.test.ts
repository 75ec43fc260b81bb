// The events of all attempts of a job: in the library, over HTTP, and for a client whose connections break.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Asking, FileHttp, Http } from '../../../src/client/http.ts'
import { remoteReprise } from '../../../src/client/remote-reprise.ts'
import type { RunEvent } from '../../../src/index.ts'
import { httpWorld } from './http-world.ts'
import { type ReadFrame, readEvents } from './sse-reader.ts'

let world: Awaited<ReturnType<typeof httpWorld>>
beforeEach(async () => {
  world = await httpWorld({
    script: [
      { when: 'crash', once: true, do: [{ type: 'killSelf', signal: 'SIGKILL' }] },
      { when: 'hang', do: [{ type: 'text', text: 'I wait' }, { type: 'hang' }] },
    ],
  })
})
afterEach(() => world.reprise.close())

const task = {
  workDir: '/project',
  checkpoints: 'off',
  backoff: { firstMs: 1, jitter: 0 },
} as const
const crashing = () => world.reprise.jobs.submit({ ...task, prompt: 'crash once' })
const placeOf = ({ runId, seq }: RunEvent) => `${runId}:${seq}`
const pathOf = (id: string) => `/api/jobs/${id}/events`

async function overHttp(id: string, lastId?: string) {
  const headers = { accept: 'text/event-stream', 'last-event-id': lastId ?? null }
  const response = await world.request('GET', pathOf(id), { headers })
  return { status: response.status, events: await Array.fromAsync(readEvents(response)) }
}

test('J-2 U-6 jobs.follow gives the events of all attempts, in order and each once, until the job is over', async () => {
  const { id } = await crashing()
  const events = await Array.fromAsync(world.reprise.jobs.follow(id))
  const { status, attempts } = await world.reprise.jobs.get(id)
  expect(status).toBe('completed')
  expect(attempts).toHaveLength(2)
  const stored = await Promise.all(attempts.map(run => world.reprise.runs.events(run.id)))
  expect(events).toEqual(stored.flat())
  expect(events.filter(({ type }) => type === 'ended')).toMatchObject([
    { status: 'interrupted' },
    { status: 'completed' },
  ])
  for (const [index, after] of events.entries()) {
    const rest = await Array.fromAsync(world.reprise.jobs.follow(id, { after }))
    expect(rest).toEqual(events.slice(index + 1))
  }
})

test('J-2 U-6 jobs.follow ends without an error when its signal aborts, and refuses what is not of the job', async () => {
  const { jobs } = world.reprise
  const { id } = await jobs.submit({ ...task, prompt: 'hang' })
  const stop = new AbortController()
  const seen: string[] = []
  for await (const event of jobs.follow(id, { signal: stop.signal })) {
    seen.push(event.type)
    if (event.type === 'text') stop.abort()
  }
  expect(seen.at(-1)).toBe('text')
  expect((await jobs.get(id)).status).toBe('running')
  const other = await world.reprise.threads.create({ workDir: '/project' })
  const { run } = await other.send('hello').result
  const foreign = jobs.follow(id, { after: { runId: run.id, seq: 1 } })
  await expect(Array.fromAsync(foreign)).rejects.toMatchObject({ code: 'not-found' })
  await expect(Array.fromAsync(jobs.follow('job_none'))).rejects.toMatchObject({
    code: 'not-found',
  })
  await jobs.cancel(id)
})

test('J-2 U-6 a reader of GET /api/jobs/{id}/events who comes back at any place gets every later event once', async () => {
  const { id } = await crashing()
  const live = await overHttp(id)
  const stored = await Array.fromAsync(world.reprise.jobs.follow(id))
  expect(live.events.map(({ data }) => data)).toEqual(stored)
  const ids = live.events.map(event => event.id)
  expect(ids).toEqual(stored.map(placeOf))
  for (const [index, last] of ids.slice(0, -1).entries()) {
    expect((await overHttp(id, last)).events.map(event => event.id)).toEqual(ids.slice(index + 1))
  }
  expect(await overHttp(id, ids.at(-1))).toEqual({ status: 204, events: [] })
  const [resync, ...again] = (await overHttp(id, 'run_other:3')).events
  expect(resync).toMatchObject({ name: 'resync', data: { reason: 'unknown-id', after: 0 } })
  expect(again).toEqual(live.events)
  expect((await world.call('GET', pathOf('job_none'))).status).toBe(404)
})

test('J-2 U-6 the list of a job’s events has pages over all attempts, and says when no more will come', async () => {
  const { id } = await crashing()
  const stored = await Array.fromAsync(world.reprise.jobs.follow(id))
  const found: RunEvent[] = []
  let after: string | null = '0'
  let isEnded = false
  while (after !== null) {
    const { body } = await world.call('GET', `${pathOf(id)}?limit=3&after=${after}`, undefined, {
      accept: 'application/json',
    })
    expect(isEnded).toBe(false)
    found.push(...body.items)
    isEnded = body.ended
    after = body.nextCursor
  }
  expect(isEnded).toBe(true)
  expect(found).toEqual(stored)
  const unknown = await world.call('GET', `${pathOf(id)}?after=run_other:3`, undefined, {
    accept: 'application/json',
  })
  expect(unknown).toMatchObject({ status: 400, body: { error: { code: 'bad-input' } } })
})

test('J-2 J-7 a stream waits for the first attempt; of a job that never ran nothing comes', async () => {
  const { jobs } = world.reprise
  const { id } = await jobs.submit({ ...task, prompt: 'work', schedule: '@yearly' })
  const response = await world.request('GET', pathOf(id), {
    headers: { accept: 'text/event-stream' },
  })
  const waiting = Array.fromAsync(readEvents(response))
  await new Promise(resolve => setTimeout(resolve, 50))
  await jobs.cancel(id)
  expect(await waiting).toEqual([])
  expect(await overHttp(id)).toEqual({ status: 204, events: [] })
})

/** Requests reach the app, and every stream breaks after its first event, as when a daemon is killed. */
function brokenConnections(): Http & FileHttp & { readonly opened: () => number } {
  let opened = 0
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    world.request('GET', path, { headers })
  async function* broken(events: AsyncIterable<ReadFrame>) {
    for await (const { id, name, data } of events) {
      yield Buffer.from(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
      throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
    }
  }
  return {
    opened: () => opened,
    download: () => Promise.reject(new Error('no file is asked for')),
    upload: () => Promise.reject(new Error('no file is sent')),
    onAway: () => {},
    open: async (path, { headers } = {}) => {
      opened += 1
      return broken(readEvents(await get(path, headers)))
    },
    ask: async <T>(_: string, path: string, { query = {}, headers }: Asking = {}) => {
      const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`)
      return (await get(`${path}?${pairs.join('&')}`, headers)).json() as Promise<T>
    },
  }
}

test('J-2 U-4 jobs.follow of a client goes on over every lost connection, without a gap and without a double', async () => {
  const { id } = await crashing()
  const stored = await Array.fromAsync(world.reprise.jobs.follow(id))
  const http = brokenConnections()
  const remote = remoteReprise(http)
  const events = await Array.fromAsync(remote.jobs.follow(id))
  expect(events.filter(({ seq }) => seq > 0)).toEqual(stored)
  expect(http.opened()).toBeGreaterThanOrEqual(stored.length)
  const notices = events.filter(({ seq }) => seq === 0)
  expect(new Set(notices.map(({ type }) => type))).toEqual(new Set(['notice']))
  const [first] = stored
  const rest = await Array.fromAsync(remote.jobs.follow(id, first && { after: first }))
  expect(rest.filter(({ seq }) => seq > 0)).toEqual(stored.slice(1))
  await remote.close()
})
