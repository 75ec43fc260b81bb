import { expect, test } from 'vitest'
import { httpWorld } from '../../test/e2e/http/http-world.ts'
import { ROUTES } from './contract/routes/routes.ts'

test('T-4 M-3 a preview says before a message is asked again what that does, costs and leaves as it is', async () => {
  const input = { file_path: '/project/docs/health.md', content: 'ok' }
  const world = await httpWorld({
    script: [{ when: 'two', do: [{ type: 'tool', name: 'Write', input, result: 'written' }] }],
  })
  const { id } = await world.thread()
  await world.turn(id, 'one')
  await world.turn(id, 'two')
  const path = `/api/threads/${id}/preview`
  const { body: next } = await world.call('POST', path, { prompt: 'three' })
  expect(next).toMatchObject({
    action: 'resume',
    estimate: { tokens: expect.any(Number), cachedTokens: expect.any(Number) },
    ways: [
      { way: 'resume', isChosen: true },
      { way: 'note', words: 'with carry: note' },
      { words: 'with a fresh session' },
    ],
    changes: [{ action: 'replay', words: 'with a fresh session' }],
    notes: [],
  })
  const long = await world.call('POST', path, { prompt: 'x'.repeat(4_005) })
  expect(long.body.estimate.tokens - next.estimate.tokens).toBe(1_000)
  const { body: thread } = await world.call('GET', `/api/threads/${id}`)
  const retry = thread.messages[2].id
  const { body: edit } = await world.call('POST', path, { retry, prompt: 'two, but shorter' })
  expect(edit).toMatchObject({
    action: 'fork',
    short: 'history-changed, 2 of 4 still true',
    ways: [
      { way: 'fork', isChosen: true },
      { way: 'note' },
      { words: 'if the agent refuses the fork' },
    ],
    changes: [
      { action: 'resume', words: 'with the messages that were dropped' },
      { action: 'replay', words: 'with a fresh session' },
    ],
    notes: [
      '2 messages leave this branch and stay stored.',
      'Files stay as they are: docs/health.md was written after this message. The agent is not asked to undo that.',
    ],
  })
  expect(edit.estimate.tokens).toBeLessThan(next.estimate.tokens)
  const schema = ROUTES.previewTurn.responses[200].content['application/json'].schema
  expect(schema.parse(edit)).toEqual(edit)
  const { body: noted } = await world.call('POST', path, { prompt: 'three', carry: 'note' })
  expect(noted).toMatchObject({
    action: 'handover',
    carry: { way: 'note', because: 'set' },
    ways: [
      { way: 'note', isChosen: true },
      { way: 'resume', words: 'with carry: whole' },
      { words: 'with a fresh session and carry: whole' },
    ],
  })
  expect(schema.parse(noted)).toEqual(noted)
  const both = await world.call('POST', path, { retry, after: retry })
  expect([both.status, both.body.error.code]).toEqual([400, 'bad-input'])
  const { body: after } = await world.call('GET', `/api/threads/${id}`)
  expect(after).toEqual(thread)
  await world.reprise.close()
})

test('D-7 a run says what would have changed its decision, and what that would have cost', async () => {
  const world = await httpWorld()
  const { id } = await world.thread()
  await world.turn(id, 'one')
  const run = await world.turn(id, 'two')
  const why = () => world.call('GET', `/api/runs/${run.id}/why`)
  const { body } = await why()
  const change = { action: 'replay', words: 'with a fresh session' }
  expect(body.changes).toEqual([
    { ...change, estimate: expect.objectContaining({ tokens: expect.any(Number) }) },
  ])
  const { body: thread } = await world.call('GET', `/api/threads/${id}`)
  await world.call('DELETE', `/api/threads/${id}/messages/${thread.messages[0].id}`)
  expect((await why()).body.changes).toEqual([{ ...change, estimate: null }])
  await world.reprise.close()
})

test('M-3 savings say how runs continued, since when, and how many of those that could have', async () => {
  const world = await httpWorld()
  const { id } = await world.thread()
  await world.turn(id, 'one')
  await world.turn(id, 'two')
  const { body } = await world.call('GET', '/api/savings?since=1')
  expect(body).toMatchObject({
    total: { runs: 2 },
    reasons: [
      { action: 'resume', code: null, words: '', runs: 1, share: 0.5 },
      { action: 'start', code: 'first-turn', words: 'it was the first turn', runs: 1, share: 0.5 },
    ],
    hitRate: 1,
  })
  const later = await world.call('GET', `/api/savings?since=${Date.now() + 60_000}`)
  expect(later.body).toMatchObject({ rows: [], total: { runs: 0 }, reasons: [], hitRate: null })
  await world.reprise.close()
})
