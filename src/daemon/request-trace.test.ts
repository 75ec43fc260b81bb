// The trace of a request over HTTP reaches the turn, the job and the chain that it submits.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { httpWorld } from '../../test/e2e/http/http-world.ts'
import { opsPolicy } from '../../test/scenarios/chains/chains.ts'
import type { StoreWithWork } from '../store/contract/store.ts'
import { sqlite } from '../store/sqlite/sqlite.ts'
import { sampleTurn } from '../testing/store-conformance/samples.ts'

const TRACE = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=1',
}

let store: StoreWithWork
let world: Awaited<ReturnType<typeof httpWorld>>
beforeEach(async () => {
  store = await sqlite(':memory:')()
  world = await httpWorld({ store: async () => store })
})
afterEach(() => world.reprise.close())

async function turn(headers: Record<string, string>): Promise<string> {
  const { id } = await world.thread()
  const { status, body } = await world.call(
    'POST',
    `/api/threads/${id}/turns`,
    { prompt: 'hi' },
    headers,
  )
  expect(status).toBe(202)
  await world.ended(body.runId)
  return body.runId
}

test('O-6 the headers of a turn are kept with it', async () => {
  expect(await store.traceOf(await turn(TRACE))).toEqual(TRACE)
})

test.each([
  ['malformed', { traceparent: 'nonsense', tracestate: 'a=1' }],
  ['missing', { tracestate: 'a=1' }],
  ['sent twice', { traceparent: `${TRACE.traceparent}, ${TRACE.traceparent}` }],
  ['of thousands of characters', { traceparent: `${TRACE.traceparent}-${'x'.repeat(5_000)}` }],
])('O-6 a traceparent that is %s is ignored, and the turn runs', async (_, headers) => {
  expect(await store.traceOf(await turn(headers))).toBeNull()
})

test('O-6 a request with the same key and another trace is the same request', async () => {
  const { id } = await world.thread()
  const send = (trace: object) =>
    world.call(
      'POST',
      `/api/threads/${id}/turns`,
      { prompt: 'hi' },
      { 'idempotency-key': 'k', ...trace },
    )
  const first = await send(TRACE)
  await world.ended(first.body.runId)
  expect((await send({})).body).toEqual(first.body)
})

test('O-6 the headers of a job and of a chain are kept with them', async () => {
  const job = await world.call('POST', '/api/jobs', { prompt: 'hi', workDir: '/project' }, TRACE)
  const attempt = { ...sampleTurn(job.body.threadId), job: { id: job.body.id, attempt: 1 } }
  const { id } = await store.submitTurn(attempt, 1_000)
  expect(await store.traceOf(id)).toEqual(TRACE)
  /** As a file says it: what is not limited is not said. */
  const policy = JSON.parse(
    JSON.stringify(opsPolicy(), (_, value) => (value === null ? undefined : value)),
  )
  const wanted = { policy, prompt: 'check', workDir: '/project' }
  const chain = await world.call('POST', '/api/chains', wanted, TRACE)
  expect(await store.traceOf(chain.body.runs[0].id)).toEqual(TRACE)
  await world.call('POST', `/api/chains/${chain.body.id}/cancel`, {})
})
