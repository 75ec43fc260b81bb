// Shortened ids in addresses, as a program with curl meets them.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type HttpWorld, httpWorld, TOKEN } from '../../test/e2e/http/http-world.ts'
import { type Caller, oneToken } from './caller.ts'

let world: HttpWorld
const submitter: Caller = { name: 'submitter', scopes: ['submit'] }
const main = oneToken(TOKEN)
beforeEach(async () => {
  const callerOf = (token: string) =>
    main.callerOf(token) ?? (token === 'submitter' ? submitter : null)
  world = await httpWorld({ tokens: { ...main, callerOf } })
})
afterEach(() => world.reprise.close())

async function newThread(): Promise<string> {
  const { body } = await world.call('POST', '/api/threads', { workDir: '/project' })
  return body.id
}

/** Two threads, and letters of the first that tell it from the second: four of its own, because `t` alone also begins `thr_`. */
async function twoThreads() {
  const [id, other] = [await newThread(), await newThread()]
  const differ = [...id].findIndex((letter, at) => letter !== other[at])
  return { id, other, beginning: id.slice(0, differ + 4), shared: id.slice(0, differ) }
}

test('the unique beginning of an id is enough in an address, with or without its first letters', async () => {
  const { id, beginning } = await twoThreads()
  for (const text of [beginning, beginning.slice('thr_'.length)]) {
    const { status, body } = await world.call('GET', `/api/threads/${text}`)
    expect([status, body.id]).toEqual([200, id])
  }
})

test('a body, a message and what the route answers stay as they are', async () => {
  const { id, beginning } = await twoThreads()
  const sent = await world.call('POST', `/api/threads/${beginning}/turns`, { prompt: 'Hello' })
  expect(sent.status).toBe(202)
  const { messageId, runId } = sent.body
  const ended = async () => (await world.call('GET', `/api/runs/${runId}`)).body.endedAt !== null
  await expect.poll(ended).toBe(true)
  const short = messageId.slice(0, 12)
  const edited = { text: 'Good morning' }
  const answer = await world.call('PATCH', `/api/threads/${beginning}/messages/${short}`, edited)
  expect(answer.status).toBe(200)
  const { body } = await world.call('GET', `/api/threads/${id}`)
  expect(body.messages[0].text).toBe('Good morning')
  const listed = await world.call('GET', `/api/runs?thread=${beginning}&limit=5`)
  expect(listed.body.items.map((run: { id: string }) => run.id)).toEqual([runId])
})

test('letters that more than one id begins with are refused, and the ids are named', async () => {
  const { id, other, shared } = await twoThreads()
  const { status, body } = await world.call('GET', `/api/threads/${shared}`)
  expect(status).toBe(400)
  expect(body.error).toMatchObject({ code: 'bad-input', hint: 'Give more letters of the id.' })
  expect(body.error.message).toContain(id)
  expect(body.error.message).toContain(other)
})

test('letters that no id begins with are not found', async () => {
  await newThread()
  const { status, body } = await world.call('GET', '/api/threads/thr_zz11')
  expect(status).toBe(404)
  expect(body.error).toMatchObject({ code: 'not-found' })
})

test('what is removed needs its whole id', async () => {
  const { id, beginning } = await twoThreads()
  expect((await world.call('DELETE', `/api/threads/${beginning}`)).status).toBe(404)
  expect((await world.call('GET', `/api/threads/${id}`)).status).toBe(200)
})

test('a caller who may not read learns no id from the letters it tries', async () => {
  const { shared, beginning } = await twoThreads()
  const headers = { authorization: 'Bearer submitter' }
  for (const text of [shared, beginning]) {
    const path = `/api/threads/${text}/turns`
    const { status, body } = await world.call('POST', path, { prompt: 'Hello' }, headers)
    expect([status, body.error.code]).toEqual([404, 'not-found'])
  }
})

test('a request with a shortened id counts once', async () => {
  const { beginning } = await twoThreads()
  await world.call('GET', `/api/threads/${beginning}`)
  const { body } = await world.call('GET', '/metrics')
  const lines = String(body).split('\n')
  const counted = lines.filter(line => /requests_total\{.*\/api\/threads\/:id"/.test(line))
  expect(counted.map(line => line.split(' ').at(-1))).toEqual(['1'])
})
