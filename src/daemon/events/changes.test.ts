// The stream of all events also tells of changes that no run has an event for.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type HttpWorld, httpWorld } from '../../../test/e2e/http/http-world.ts'
import { type ReadFrame, readEvents } from '../../../test/e2e/http/sse-reader.ts'
import { opsPolicy } from '../../../test/scenarios/chains/chains.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { FakeScript } from '../../testing/index.ts'

const resolves = { type: 'verdict', output: { verdict: 'resolved', summary: 'done' } } as const

const SCRIPT: FakeScript = [
  { when: 'stay at it', do: [{ type: 'hang' }] },
  { when: 'tier 1 of 3', do: [{ type: 'text', text: [{ sleepMs: 300 }, 'looked'] }, resolves] },
  { do: [{ type: 'text', text: ['a', { sleepMs: 300 }, 'b'] }] },
]

/** As a file says it: limits that are not set are left out. */
const policy = JSON.parse(
  JSON.stringify(opsPolicy(), (_, value) => (value === null ? undefined : value)),
)

let directory: string
let world: HttpWorld

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-changes-'))
  world = await httpWorld({ script: SCRIPT, store: sqlite(join(directory, 'reprise.db')) })
})
afterEach(async () => {
  await world.reprise.close()
  rmSync(directory, { recursive: true })
})

async function open(lastId?: string) {
  const headers = { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) }
  return readEvents(await world.request('GET', '/api/events', { headers }))
}

async function next(events: AsyncGenerator<ReadFrame>, name: string): Promise<ReadFrame> {
  for (;;) {
    const { value, done } = await events.next()
    if (done) throw new Error(`the stream ended without ${name}`)
    if (value.name === name) return value
  }
}

/** Opens a stream that begins now, does something, and gives the first frame `changed` of this kind and what was done. */
async function changeBy<Done>(kind: string, act: () => Promise<Done>) {
  const events = await open()
  await next(events, 'ready')
  const done = await act()
  for (;;) {
    const { data } = await next(events, 'changed')
    if (data.kind !== kind) continue
    await events.return(undefined)
    return { change: data, done }
  }
}

async function post(path: string, body: object = {}) {
  const answer = await world.call('POST', path, body)
  expect(answer.status).toBeLessThan(300)
  return answer
}

/** Polls until the first run of the chain is running. */
async function reachesRun(chainId: string): Promise<void> {
  const { body } = await world.call('GET', `/api/chains/${chainId}`)
  await reaches(`/api/runs/${body.runs[0].id}`, 'running')
}

/** Polls until the answer has this status. */
async function reaches(path: string, status: string): Promise<void> {
  while ((await world.call('GET', path)).body.status !== status) {
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

test('I10 a reader learns of every thread that somebody creates or edits, also after it reconnects', async () => {
  const events = await open()
  await next(events, 'ready')
  const { id } = await world.thread()
  const created = { kind: 'thread', id, at: expect.any(Number) }
  expect((await next(events, 'changed')).data).toEqual(created)
  const { id: runId } = await world.turn(id, 'one')
  const event = await next(events, '')
  expect(event.data).toMatchObject({ runId, threadId: id, chainId: null, jobId: null })
  await events.return(undefined)
  const { body: thread } = await world.call('GET', `/api/threads/${id}`)
  const path = `/api/threads/${id}/messages/${thread.messages[0].id}`
  await world.call('PATCH', path, { text: 'uno' })
  const again = await open(event.id)
  expect((await next(again, 'changed')).data).toEqual(created)
  await again.return(undefined)
})

test('I10 a reader learns of every job that is submitted, ends, is retried, cancelled and removed', async () => {
  const task = { prompt: 'work', workDir: '/project', checkpoints: 'off' }
  const submitted = await changeBy('job', () => post('/api/jobs', task))
  const { id, threadId } = submitted.done.body
  const expected = { kind: 'job', id, at: expect.any(Number) }
  expect(submitted.change).toEqual(expected)
  await reaches(`/api/jobs/${id}`, 'running')
  const ended = await changeBy('job', () => reaches(`/api/jobs/${id}`, 'completed'))
  expect(ended.change).toEqual(expected)
  const retried = await changeBy('job', () => post(`/api/jobs/${id}/retry`))
  expect(retried.change).toEqual(expected)
  await reaches(`/api/jobs/${id}`, 'running')
  const cancelled = await changeBy('job', () => post(`/api/jobs/${id}/cancel`))
  expect(cancelled.change).toEqual(expected)
  const removed = await changeBy('job', () => world.call('DELETE', `/api/jobs/${id}`))
  expect(removed.change).toEqual(expected)
  expect((await world.call('GET', `/api/threads/${threadId}`)).status).toBe(404)
})

test('I10 a reader learns of every chain that begins, ends, is cancelled and removed', async () => {
  const start = (prompt: string) => post('/api/chains', { policy, prompt, workDir: '/project' })
  const begun = await changeBy('chain', () => start('check'))
  const { id, threadId } = begun.done.body
  const expected = { kind: 'chain', id, at: expect.any(Number) }
  expect(begun.change).toEqual(expected)
  await reachesRun(id)
  const ended = await changeBy('chain', () => reaches(`/api/chains/${id}`, 'resolved'))
  expect(ended.change).toEqual(expected)
  const removed = await changeBy('chain', () => world.call('DELETE', `/api/threads/${threadId}`))
  expect(removed.change).toEqual(expected)
  const { body: hanging } = await start('stay at it')
  await reachesRun(hanging.id)
  const cancelled = await changeBy('chain', () => post(`/api/chains/${hanging.id}/cancel`))
  expect(cancelled.change).toEqual({ ...expected, id: hanging.id })
  await reaches(`/api/chains/${hanging.id}`, 'cancelled')
})

test('I10 E-9 a reader learns of every schedule that is made, starts a chain and is removed', async () => {
  const chain = { policy, prompt: 'check', workDir: '/project' }
  const made = await changeBy('schedule', () =>
    post('/api/schedules', { ...chain, recurrence: { everyMs: 3_600_000 } }),
  )
  const { id } = made.done.body
  const expected = { kind: 'schedule', id, at: expect.any(Number) }
  expect(made.change).toEqual(expected)
  // Only a process that keeps the queue starts chains: this one joins later.
  const store = sqlite(join(directory, 'reprise.db'))
  const keeper = await httpWorld({ script: SCRIPT, store, keepQueue: true })
  const fired = await changeBy('schedule', () => keeper.call('GET', '/api/schedules'))
  expect(fired.change).toEqual(expected)
  const started = async () => (await world.call('GET', '/api/schedules')).body.items[0].lastChainId
  while ((await started()) === null) await new Promise(resolve => setTimeout(resolve, 5))
  await reaches(`/api/chains/${await started()}`, 'resolved')
  await keeper.reprise.close()
  const removed = await changeBy('schedule', () => world.call('DELETE', `/api/schedules/${id}`))
  expect(removed.change).toEqual(expected)
  expect(removed.change.at).toBeGreaterThan(fired.change.at)
})
