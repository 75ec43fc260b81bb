import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { countOf } from '../../../test/counts.ts'
import { type HttpWorld, httpWorld, type WorldOptions } from '../../../test/e2e/http/http-world.ts'
import { type ReadFrame, readEvents } from '../../../test/e2e/http/sse-reader.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { FakeScript } from '../../testing/index.ts'
import { eventStream, type Frame } from './event-stream.ts'

/** Few enough to be quick; more by environment. */
const RECONNECTS = countOf('REPRISE_SSE_RECONNECTS', { usual: 25, storm: 1_000 })
const LISTENERS = countOf('REPRISE_SSE_LISTENERS', { usual: 20, storm: 200 })

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function open(options: WorldOptions = {}): Promise<HttpWorld> {
  const world = await httpWorld(options)
  cleanups.push(() => world.reprise.close())
  return world
}

/** An answer in many pieces, with pauses, so that listeners see it grow. */
function talkative(pieces: number): FakeScript {
  const text = Array.from({ length: pieces }, (_, i) => [`piece ${i}\n`, { sleepMs: 4 }]).flat()
  return [{ do: [{ type: 'text', text }] }]
}

async function started(world: HttpWorld) {
  const { id } = await world.thread()
  const sent = await world.call('POST', `/api/threads/${id}/turns`, { prompt: 'talk' })
  return { threadId: id as string, runId: sent.body.runId as string }
}

async function listen(world: HttpWorld, path: string, lastId?: string): Promise<Response> {
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId }
  return world.request('GET', path, { headers: { accept: 'text/event-stream', ...headers } })
}

async function collect(response: Response): Promise<ReadFrame[]> {
  const frames: ReadFrame[] = []
  for await (const frame of readEvents(response)) frames.push(frame)
  return frames
}

async function nobodyListens(world: HttpWorld): Promise<void> {
  for (let looks = 0; looks < 2_000; looks++) {
    const { body } = await world.call('GET', '/metrics')
    if (body.includes('reprise_event_listeners 0')) return
  }
  throw new Error('somebody still listens')
}

/** True for a frame `changed`, which must name one of these threads; all other frames must be events of runs. */
function isChangeOf(threadIds: readonly string[], { name, data }: ReadFrame): boolean {
  if (name !== 'changed') expect(name).toBe('')
  else
    expect(data).toEqual({
      kind: 'thread',
      id: expect.toBeOneOf(threadIds),
      at: expect.any(Number),
    })
  return name === 'changed'
}

const seqs = (frames: readonly ReadFrame[]) => frames.map(({ id }) => Number(id))
const counted = (to: number) => Array.from({ length: to }, (_, i) => i + 1)

describe('I10 U-6 the events of a run', () => {
  test('come live, in order, and end after the last', async () => {
    const world = await open({ script: talkative(20) })
    const { runId } = await started(world)
    const frames = await collect(await listen(world, `/api/runs/${runId}/events`))
    expect(seqs(frames)).toEqual(counted(frames.length))
    expect(frames[0]?.data).toMatchObject({ runId, seq: 1, type: 'started' })
    expect(frames.at(-1)?.data).toMatchObject({ type: 'ended', status: 'completed' })
    const text = frames.map(({ data }) => (data.type === 'text' ? data.text : '')).join('')
    expect(text).toContain('piece 0\n')
    expect(text).toContain('piece 19\n')
    const again = await collect(await listen(world, `/api/runs/${runId}/events`))
    expect(again).toEqual(frames)
  })

  test(`I10 lose and double nothing over ${RECONNECTS} reconnects at random points`, async () => {
    const world = await open({ script: talkative(RECONNECTS + 10) })
    const { runId } = await started(world)
    const path = `/api/runs/${runId}/events`
    const frames: ReadFrame[] = []
    let seed = 7
    for (let connections = 0; connections < RECONNECTS; connections++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      let left = seed % 4
      for await (const event of readEvents(await listen(world, path, frames.at(-1)?.id))) {
        frames.push(event)
        if (left-- === 0) break
      }
    }
    await world.ended(runId)
    frames.push(...(await collect(await listen(world, path, frames.at(-1)?.id))))
    const json = { accept: 'application/json' }
    const { body } = await world.call('GET', `${path}?limit=10000`, undefined, json)
    expect(seqs(frames)).toEqual(counted(body.items.length))
    expect(frames.map(({ data }) => data)).toEqual(body.items)
    expect(body).toMatchObject({ nextCursor: null, ended: true })
  })

  test('I10 are whole when they come in bursts, and over many pages', async () => {
    const world = await open({ script: talkative(230) })
    const { runId } = await started(world)
    const path = `/api/runs/${runId}/events`
    const live = await collect(await listen(world, path))
    expect(live.length).toBeGreaterThan(200)
    expect(seqs(live)).toEqual(counted(live.length))
    expect(await collect(await listen(world, path))).toEqual(live)
  })

  test(`reach ${LISTENERS} listeners alike, and one that never reads harms nobody`, async () => {
    const world = await open({
      script: talkative(40),
      timing: { stallMs: 60_000 },
      maxListeners: 1_000,
    })
    const { runId } = await started(world)
    const path = `/api/runs/${runId}/events`
    const lazy = await listen(world, path)
    const all = await Promise.all(
      Array.from({ length: LISTENERS }, async () => collect(await listen(world, path))),
    )
    for (const frames of all) expect(frames).toEqual(all[0])
    expect(seqs(all[0] ?? [])).toEqual(counted(all[0]?.length ?? 0))
    expect(all[0]?.at(-1)?.data.type).toBe('ended')
    expect(await collect(lazy)).toEqual(all[0])
  })

  test('are kept from a reader that takes nothing: dropped with a resync, and whole when it comes back', async () => {
    const world = await open({ script: talkative(30), timing: { stallMs: 20 } })
    const { runId } = await started(world)
    const path = `/api/runs/${runId}/events`
    const lazy = await listen(world, path)
    await world.ended(runId)
    await nobodyListens(world)
    const frames = await collect(lazy)
    const dropped = frames.at(-1)
    expect(dropped).toMatchObject({ name: 'resync', data: { reason: 'too-slow' } })
    const before = frames.slice(0, -1)
    expect(before.length).toBeLessThan(5)
    const rest = await collect(await listen(world, path, dropped?.id))
    expect(seqs([...before, ...rest])).toEqual(counted(before.length + rest.length))
    expect(rest.at(-1)?.data.type).toBe('ended')
  })

  test('go on after the last one that a reader took before it stopped reading', async () => {
    async function* frames(): AsyncGenerator<Frame, void> {
      for (const id of ['1', '2', '3', '4']) yield { kind: 'event', id, data: '{}' }
    }
    const stream = eventStream({ frames, stallMs: 50, onEnd: () => {} })
    const read: ReadFrame[] = []
    for await (const event of readEvents(stream)) {
      read.push(event)
      if (event.id === '2') await new Promise(resolve => setTimeout(resolve, 200))
    }
    const [last, ...before] = read.toReversed()
    const after = before[0]?.id
    expect(Number(after)).toBeGreaterThanOrEqual(2)
    expect(last).toEqual({ id: after, name: 'resync', data: { reason: 'too-slow', after } })
  })

  test('come from the start, after a resync, for a reader that names an unknown place', async () => {
    const world = await open()
    const { runId } = await started(world)
    await world.ended(runId)
    for (const place of ['999', 'nonsense', '-1', '1e9']) {
      const [first, ...rest] = await collect(
        await listen(world, `/api/runs/${runId}/events`, place),
      )
      expect(first).toMatchObject({ name: 'resync', data: { reason: 'unknown-id', after: 0 } })
      expect(seqs(rest)).toEqual(counted(rest.length))
    }
  })

  test('are over for a browser that comes back to an ended run', async () => {
    const world = await open()
    const { runId } = await started(world)
    await world.ended(runId)
    const path = `/api/runs/${runId}/events`
    const frames = await collect(await listen(world, path))
    expect((await listen(world, path, frames.at(-1)?.id)).status).toBe(204)
    expect((await listen(world, path, '1')).status).toBe(200)
  })

  test('end when their thread is removed', async () => {
    const world = await open({ script: [{ do: [{ type: 'hang' }] }] })
    const { threadId } = await started(world)
    const path = `/api/threads/${threadId}/turns`
    const { body: queued } = await world.call('POST', path, { prompt: 'wait' })
    const frames = collect(await listen(world, `/api/runs/${queued.runId}/events`))
    const { reprise } = world
    for (const run of (await reprise.runs.list({ threadId })).toReversed()) {
      await reprise.runs.cancel(run.id)
    }
    await world.call('DELETE', `/api/threads/${threadId}`)
    await frames
    await nobodyListens(world)
    expect((await listen(world, `/api/runs/${queued.runId}/events`)).status).toBe(404)
  })

  test('end also for a run that was cancelled in the queue', async () => {
    const world = await open({ script: [{ do: [{ type: 'hang' }] }] })
    const { threadId, runId } = await started(world)
    const path = `/api/threads/${threadId}/turns`
    const { body: queued } = await world.call('POST', path, { prompt: 'wait' })
    const frames = collect(await listen(world, `/api/runs/${queued.runId}/events`))
    await world.call('POST', `/api/runs/${queued.runId}/cancel`)
    expect((await frames).map(({ data }) => data.type)).toEqual(['queued', 'ended'])
    await world.call('POST', `/api/runs/${runId}/cancel`)
  })

  test('come in pages as JSON', async () => {
    const world = await open({ script: talkative(10) })
    const { runId } = await started(world)
    await world.ended(runId)
    const json = { accept: 'application/json' }
    const path = `/api/runs/${runId}/events`
    const first = await world.call('GET', `${path}?limit=3`, undefined, json)
    expect(first.body.items.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3])
    expect(first.body).toMatchObject({ nextCursor: '3', ended: false })
    const next = await world.call('GET', `${path}?after=3`, undefined, json)
    expect(next.body.items[0].seq).toBe(4)
    expect(next.body).toMatchObject({ nextCursor: null, ended: true })
    expect((await world.call('GET', `${path}?after=x`, undefined, json)).status).toBe(400)
  })
})

describe('the events of everything', () => {
  test('begin now, say where that is, and hold the runs of all threads', async () => {
    const world = await open()
    const before = await started(world)
    await world.ended(before.runId)
    const response = await listen(world, '/api/events')
    const events = readEvents(response)
    const ready = (await events.next()).value
    expect(ready).toMatchObject({ name: 'ready', id: String(ready?.data.after) })
    const { runId, threadId } = await started(world)
    const frames: ReadFrame[] = []
    let changes = 0
    // One look at the store reads its events first, then what changed: of a quick run the changes come after its end.
    for await (const event of events) {
      if (isChangeOf([threadId], event)) changes++
      else frames.push(event)
      if (changes > 0 && frames.at(-1)?.data.type === 'ended') break
    }
    expect(frames.every(({ data }) => data.runId === runId && data.threadId === threadId)).toBe(
      true,
    )
    expect(seqs(frames)).toEqual(frames.map(({ data }) => data.position))
    const path = `/api/events?after=${ready?.id}`
    const { body } = await world.call('GET', path, undefined, { accept: 'application/json' })
    expect(body.items).toEqual(frames.map(({ data }) => data))
    expect(body.nextCursor).toBe(frames.at(-1)?.id)
  })

  test('I10 lose and double nothing over reconnects, while several runs talk', async () => {
    const world = await open({ script: talkative(60) })
    const runs = await Promise.all([started(world), started(world), started(world)])
    const threadIds = runs.map(({ threadId }) => threadId)
    const frames: ReadFrame[] = []
    const isOver = () => frames.filter(({ data }) => data.type === 'ended').length === runs.length
    while (!isOver()) {
      let left = frames.length % 7
      const lastId = frames.at(-1)?.id ?? '0'
      for await (const event of readEvents(await listen(world, '/api/events', lastId))) {
        if (isChangeOf(threadIds, event)) continue
        frames.push(event)
        if (left-- === 0 || isOver()) break
      }
    }
    const json = { accept: 'application/json' }
    const { body } = await world.call('GET', '/api/events?after=0', undefined, json)
    expect(frames.map(({ data }) => data)).toEqual(body.items)
    expect(frames.length).toBeGreaterThan(150)
  })

  test('go on over a restart, with runs of another process, at the very next event', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reprise-feed-'))
    cleanups.push(() => rmSync(directory, { recursive: true }))
    const store = sqlite(join(directory, 'reprise.db'))
    const closing = new AbortController()
    const one = await open({ store, closing: closing.signal })
    const events = readEvents(await listen(one, '/api/events?after=0'))
    const frames: ReadFrame[] = []
    const another = await open({ store })
    const first = await started(another)
    await another.ended(first.runId)
    for await (const event of events) {
      if (isChangeOf([first.threadId], event)) continue
      frames.push(event)
      if (frames.length === 2) closing.abort()
    }
    const two = await open({ store })
    const second = await started(two)
    await two.ended(second.runId)
    const threadIds = [first.threadId, second.threadId]
    for await (const event of readEvents(await listen(two, '/api/events', frames.at(-1)?.id))) {
      if (isChangeOf(threadIds, event)) continue
      frames.push(event)
      const ended = frames.filter(({ data }) => data.type === 'ended')
      if (ended.length === 2) break
    }
    const { body } = await two.call('GET', '/api/events?after=0', undefined, {
      accept: 'application/json',
    })
    expect(frames.map(({ data }) => data)).toEqual(body.items)
  })

  test('begin with a resync for a place that is not known', async () => {
    const world = await open()
    await world.ended((await started(world)).runId)
    const { body } = await world.call('GET', '/api/events?after=0', undefined, {
      accept: 'application/json',
    })
    const after = body.items.at(-1).position
    for (const place of ['99999', 'x']) {
      const events = readEvents(await listen(world, '/api/events', place))
      const first = (await events.next()).value
      expect(first).toMatchObject({ name: 'resync', data: { reason: 'unknown-id', after } })
      await events.return()
    }
  })
})

test('a quiet stream shows that it is alive', async () => {
  const world = await open({ timing: { heartbeatMs: 10 } })
  const response = await listen(world, '/api/events')
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk)
    if (text.split('\n\n: \n\n').length > 3) break
  }
  expect(text).toMatch(/^retry: 1000\n: open\n\n/)
})

test('U-1 a stream says good-bye when the daemon stops in order', async () => {
  const closing = new AbortController()
  const world = await open({ closing: closing.signal })
  const response = await listen(world, '/api/events')
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('event: ready')) closing.abort()
  }
  expect(text.trimEnd().split('\n\n').at(-1)).toMatch(/^: stopping/)
})

test('too many listeners are refused, and listeners that leave make room', async () => {
  const world = await open({ maxListeners: 2 })
  const [one, two] = [await listen(world, '/api/events'), await listen(world, '/api/events')]
  const refused = await world.call('GET', '/api/events')
  expect([refused.status, refused.body.error.code]).toEqual([429, 'too-many'])
  await one.body?.cancel()
  const next = await listen(world, '/api/events')
  expect(next.status).toBe(200)
  await Promise.all([two.body?.cancel(), next.body?.cancel()])
  const head = await world.request('HEAD', '/api/events', {})
  expect(head.status).toBe(200)
  const { body } = await world.call('GET', '/metrics')
  expect(body).toContain('reprise_event_listeners 0')
})
