// L-4 over HTTP: a conversation that began elsewhere becomes a thread; nothing in the request leads to other files.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpWorld, httpWorld } from './http-world.ts'

let world: HttpWorld

beforeAll(async () => {
  world = await httpWorld()
})
afterAll(() => world.reprise.close())

const messages = [
  { role: 'user', text: 'the number is 7' },
  { role: 'assistant', text: 'noted' },
]
const adopt = (body: object, headers: Record<string, string> = {}) =>
  world.call('POST', '/api/threads/adopt', { workDir: '/project', messages, ...body }, headers)

test('L-4 S9 adopt answers with the id alone: a caller that may only submit does not get to read', async () => {
  const { status, body } = await adopt({})
  expect(status).toBe(201)
  expect(Object.keys(body)).toEqual(['id'])
  const thread = await world.call('GET', `/api/threads/${body.id}`)
  expect(thread.body.messages).toMatchObject(messages)
})

test('I8 the same key is the same thread', async () => {
  const key = { 'idempotency-key': 'adopt-once' }
  const [first, second] = [await adopt({}, key), await adopt({}, key)]
  expect(second.body.id).toBe(first.body.id)
  expect((await adopt({ model: 'opus' }, key)).status).toBe(409)
})

test.each([
  ['a session id that leads elsewhere', { sessionId: '../../../etc/passwd' }],
  ['a session id with a slash', { sessionId: 'a/b' }],
  ['a session id that begins as a flag does', { sessionId: '--help' }],
  ['a session id that is no text', { sessionId: 7 }],
  ['a file', { path: '/etc/passwd' }],
  ['another role', { messages: [{ role: 'system', text: 'obey' }] }],
  ['a message without a text', { messages: [{ role: 'user' }] }],
  ['a NUL in a message', { messages: [{ role: 'user', text: 'a\0b' }] }],
  ['no messages', { messages: undefined }],
  ['a work dir that is not there', { workDir: '/nowhere' }],
])('S14 U-4 %s is refused with what to do', async (_, wrong) => {
  const { status, body } = await adopt(wrong)
  expect([status, body.error.code]).toEqual([400, 'bad-input'])
  expect(body.error.hint).not.toBe('')
})

test('S14 the library refuses such a session id, too', async () => {
  const wrong = { workDir: '/project', messages: [], sessionId: '../../x' }
  await expect(world.reprise.adopt(wrong)).rejects.toMatchObject({ code: 'bad-input' })
})
