// The stream of all events also tells of changes that no run has an event for.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type HttpWorld, httpWorld } from '../../../test/e2e/http-world.ts'
import { readEvents, type Told } from '../../../test/e2e/sse-reader.ts'

let world: HttpWorld

beforeEach(async () => {
  world = await httpWorld()
})
afterEach(() => world.reprise.close())

async function open(lastId?: string) {
  const headers = { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) }
  return readEvents(await world.request('GET', '/api/events', { headers }))
}

async function next(events: AsyncGenerator<Told>, name: string): Promise<Told> {
  for (;;) {
    const { value, done } = await events.next()
    if (done) throw new Error(`the stream ended without ${name}`)
    if (value.name === name) return value
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
