// Threads over HTTP: their list, and changes of their history.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type HttpWorld, httpWorld } from '../../test/e2e/http/http-world.ts'
import { ROUTES } from './contract/routes/routes.ts'

let world: HttpWorld

beforeEach(async () => {
  world = await httpWorld()
})
afterEach(async () => {
  await world.reprise.close()
  expect(world.faults).toEqual([])
})

test('T-10 a page of threads has its filters and says how many there are in all', async () => {
  const { id } = await world.thread()
  await world.turn(id, 'hello')
  await world.thread()
  await world.thread()
  const list = async (query: string) => (await world.call('GET', `/api/threads?${query}`)).body
  const page = await list('limit=1')
  expect(page).toMatchObject({ total: 3, items: [{ savedUsd: 0 }] })
  expect(await list(`limit=1&cursor=${page.nextCursor}`)).toMatchObject({ total: 3 })
  const { updatedAt } = (await list(`q=${id}`)).items[0]
  const filter = `agent=claude-code&kind=chat&status=completed&action=start&since=${updatedAt}`
  expect(await list(filter)).toMatchObject({ total: 1, items: [{ id }], nextCursor: null })
  expect(await list('kind=job')).toMatchObject({ total: 0, items: [] })
  expect((await world.call('GET', '/api/threads?since=soon')).status).toBe(400)
})

test('T-4 a message says which versions it has, and another version can be selected', async () => {
  const { id } = await world.thread()
  await world.turn(id, 'one')
  const path = `/api/threads/${id}`
  const [old] = (await world.call('GET', path)).body.messages
  expect(old).not.toHaveProperty('versions')
  const { body: edited } = await world.call('PATCH', `${path}/messages/${old.id}`, {
    text: 'uno',
  })
  const show = async () => (await world.call('GET', path)).body.messages[0]
  const versions = { position: 2, count: 2, previousId: old.id, nextId: null }
  expect(await show()).toEqual({ ...edited, versions })
  const selected = await world.call('POST', `${path}/messages/${old.id}/select`, {})
  expect(
    ROUTES.getThread.responses[200].content['application/json'].schema.parse(selected.body),
  ).toEqual(selected.body)
  const first = { position: 1, count: 2, previousId: null, nextId: edited.id }
  expect(selected).toMatchObject({
    status: 200,
    body: { messages: [{ id: old.id, versions: first }, {}] },
  })
  expect((await world.call('POST', `${path}/messages/msg_none/select`, {})).status).toBe(404)
})

test('T-4 a message is edited, retried, cut off and forked', async () => {
  const { id } = await world.thread()
  await world.turn(id, 'one')
  await world.turn(id, 'two')
  const messages = async () => (await world.call('GET', `/api/threads/${id}`)).body.messages
  const [prompt] = await messages()
  const edited = await world.call('PATCH', `/api/threads/${id}/messages/${prompt.id}`, {
    text: 'uno',
  })
  expect(edited).toMatchObject({ status: 200, body: { text: 'uno', role: 'user' } })
  const third = (await messages())[2]
  const fork = await world.call('POST', `/api/threads/${id}/fork`, { at: edited.body.id })
  expect(fork).toMatchObject({ status: 201, body: { forkedFrom: id } })
  expect(fork.body.messages).toHaveLength(1)
  const retried = await world.call('POST', `/api/threads/${id}/messages/${third.id}/retry`, {
    text: 'three',
  })
  expect(retried.status).toBe(202)
  expect(retried.body).toMatchObject({ id: retried.body.runId, threadId: id })
  await world.ended(retried.body.runId)
  expect((await messages()).map((message: { text: string }) => message.text)).toEqual([
    'uno',
    'echo: one',
    'three',
    'echo: three',
  ])
  const cut = await world.call('DELETE', `/api/threads/${id}/messages/${edited.body.id}`)
  expect([cut.status, await messages()]).toEqual([204, []])
  const removed = await world.call('DELETE', `/api/threads/${id}`)
  expect([removed.status, removed.body]).toEqual([200, { id, checkpoints: [] }])
  expect((await world.call('GET', `/api/threads/${id}`)).status).toBe(404)
})

test('a thread gets another title, also while a run is going; nothing else of it changes', async () => {
  const { id } = await world.thread()
  const path = `/api/threads/${id}`
  const { title: _, ...before } = (await world.call('GET', path)).body
  const renamed = await world.call('PATCH', path, { title: '  Why is the\nbuild slow? ' })
  expect(renamed).toMatchObject({
    status: 200,
    body: { ...before, title: 'Why is the build slow?' },
  })
  for (const title of ['', '  ', 'x'.repeat(1_001)]) {
    expect((await world.call('PATCH', path, { title })).status).toBe(400)
  }
  expect((await world.call('PATCH', path, {})).status).toBe(400)
  expect((await world.call('PATCH', '/api/threads/thr_none', { title: 'x' })).status).toBe(404)
})
