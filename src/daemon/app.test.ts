import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type HttpWorld, httpWorld } from '../../test/e2e/http/http-world.ts'
import { sqlite } from '../store/sqlite/sqlite.ts'
import { oneToken } from './caller.ts'
import { ROUTES } from './contract/routes/routes.ts'

let world: HttpWorld

beforeEach(async () => {
  world = await httpWorld()
})
afterEach(async () => {
  await world.reprise.close()
  expect(world.faults).toEqual([])
})

describe('threads over HTTP', () => {
  test('T-1 a thread is created, talked to and continued in its session', async () => {
    const created = await world.call('POST', '/api/threads', { workDir: '/project', title: 'one' })
    expect(created.status).toBe(201)
    const path = `/api/threads/${created.body.id}/turns`
    const first = await world.call('POST', path, { prompt: 'hello' })
    expect(first.status).toBe(202)
    expect(first.body.decision).toMatchObject({ action: 'start', reason: { code: 'first-turn' } })
    const run = await world.ended(first.body.runId)
    expect(run).toMatchObject({ status: 'completed', threadId: created.body.id })
    const second = await world.call('POST', path, { prompt: 'more' })
    expect(second.body.decision.action).toBe('resume')
    await world.ended(second.body.runId)
    const { body: thread } = await world.call('GET', `/api/threads/${created.body.id}`)
    expect(thread.messages.map((message: { text: string }) => message.text)).toEqual([
      'hello',
      'echo: hello',
      'more',
      'echo: more',
    ])
    expect(thread.sessions).toMatchObject([{ pointer: 'confirmed', messageCount: 4 }])
    expect(thread.runs).toHaveLength(2)
  })

  test('T-8 a thread keeps its instructions until a turn brings others; an empty text clears them', async () => {
    const { id } = await world.thread()
    const inForce = async (given: { instructions?: string }) => {
      const { body } = await world.call('POST', `/api/threads/${id}/turns`, {
        prompt: 'x',
        ...given,
      })
      await world.ended(body.runId)
      const { body: thread } = await world.call('GET', `/api/threads/${id}`)
      const args = world.runner.journal.at(-1)?.args ?? []
      return [thread.instructions, args.includes('--append-system-prompt-file')]
    }
    expect(await inForce({ instructions: 'Be brief.' })).toEqual(['Be brief.', true])
    expect(await inForce({})).toEqual(['Be brief.', true])
    expect(await inForce({ instructions: '' })).toEqual([null, false])
    const { body: list } = await world.call('GET', '/api/threads')
    expect(list.items[0]).not.toHaveProperty('instructions')
  })

  test('answers keep to the contract, with no field besides it', async () => {
    const { id } = await world.thread()
    const { id: runId } = await world.turn(id, 'hello')
    const sessions = await world.call('GET', '/api/sessions')
    const sessionId = sessions.body.items[0].id
    const answers = {
      listThreads: await world.call('GET', '/api/threads?q=hello'),
      getThread: await world.call('GET', `/api/threads/${id}`),
      listRuns: await world.call('GET', `/api/runs?thread=${id}&status=completed`),
      getRun: await world.call('GET', `/api/runs/${runId}`),
      runResult: await world.call('GET', `/api/runs/${runId}/result`),
      runPrompt: await world.call('GET', `/api/runs/${runId}/prompt`),
      whyRun: await world.call('GET', `/api/runs/${runId}/why`),
      runWork: await world.call('GET', `/api/runs/${runId}/work`),
      listQuestions: await world.call('GET', '/api/questions?state=answered'),
      listSessions: sessions,
      getSession: await world.call('GET', `/api/sessions/${sessionId}`),
      listAgents: await world.call('GET', '/api/agents'),
      me: await world.call('GET', '/api/me'),
      savings: await world.call('GET', '/api/savings?by=agent'),
      health: await world.call('GET', '/health'),
      previewTurn: await world.call('POST', `/api/threads/${id}/preview`, { freshSession: true }),
      archiveSession: await world.call('POST', `/api/sessions/${sessionId}/archive`, {}),
      diagnoseSession: await world.call('POST', `/api/sessions/${sessionId}/doctor`, {}),
      unarchiveSession: await world.call('POST', `/api/sessions/${sessionId}/unarchive`, {}),
    } as const
    for (const [name, { status, body }] of Object.entries(answers)) {
      expect([name, status]).toEqual([name, 200])
      const route = ROUTES[name as keyof typeof answers]
      const parsed = route.responses[200].content['application/json'].schema.parse(body)
      expect(parsed, name).toEqual(body)
    }
    expect(answers.runResult.body).toEqual({ run: answers.getRun.body, text: 'echo: hello' })
    expect(answers.runWork.body).toMatchObject({ lease: null, costIs: 'booked' })
    expect(answers.unarchiveSession.body.state).toBe('paused')
    expect(answers.listQuestions.body).toEqual({ items: [], nextCursor: null, total: 0 })
    const cut = await world.call('GET', '/api/questions?cursor=nonsense')
    expect([cut.status, cut.body.error.code]).toEqual([400, 'bad-input'])
    expect(answers.runPrompt.body).toMatchObject({ text: 'hello', bytes: 5, truncated: false })
    expect(answers.runPrompt.body.arguments).toContain('--print')
    expect(answers.previewTurn.body.reason.code).toBe('fresh-asked')
    expect(answers.previewTurn.body).toMatchObject({
      short: 'fresh-asked',
      words: expect.stringMatching(/^A new session starts with the transcript/),
    })
    expect(answers.whyRun.body).toMatchObject({
      short: 'first-turn',
      words: expect.stringMatching(/^A new session was started/),
    })
    expect(answers.health.body).toMatchObject({ status: 'ok', store: 'ok' })
  })

  test('lists go page by page, to the end and no further', async () => {
    const ids = []
    for (let i = 0; i < 5; i++) ids.push((await world.thread()).id)
    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 10; pages++) {
      const { body } = await world.call('GET', `/api/threads?limit=2${cursor}`)
      seen.push(...body.items.map((item: { id: string }) => item.id))
      if (body.nextCursor === null) break
      cursor = `&cursor=${body.nextCursor}`
    }
    expect(new Set(seen)).toEqual(new Set(ids))
    expect(seen).toHaveLength(5)
    const { body } = await world.call('GET', '/api/threads?limit=5')
    expect(body.nextCursor).toBeNull()
  })
})

describe('runs over HTTP', () => {
  test('a run is cancelled, and says so', async () => {
    await world.reprise.close()
    world = await httpWorld({ script: [{ do: [{ type: 'hang' }] }] })
    const { id } = await world.thread()
    const sent = await world.call('POST', `/api/threads/${id}/turns`, { prompt: 'hang on' })
    const queued = await world.call('POST', `/api/threads/${id}/turns`, { prompt: 'and then' })
    const gone = await world.call('POST', `/api/runs/${queued.body.runId}/cancel`)
    expect([gone.status, gone.body.status]).toEqual([200, 'cancelled'])
    const cancelled = await world.call('POST', `/api/runs/${sent.body.runId}/cancel`, {})
    expect(cancelled.status).toBe(200)
    expect((await world.ended(sent.body.runId)).status).toBe('cancelled')
  })

  test.each([
    ['GET', '/api/runs/run_nothere', undefined, 404, 'not-found'],
    ['GET', '/api/threads/thr_nothere', undefined, 404, 'not-found'],
    ['GET', '/api/sessions/ses_nothere', undefined, 404, 'not-found'],
    ['GET', '/api/nothing', undefined, 404, 'not-found'],
    ['GET', '/api/threads/..%2f..%2fetc', undefined, 400, 'bad-input'],
    ['GET', '/api/threads/a%00b', undefined, 400, 'bad-input'],
    ['GET', '/api/threads/a\u2215b', undefined, 400, 'bad-input'],
    ['GET', '/api/threads?limit=0', undefined, 400, 'bad-input'],
    ['GET', '/api/threads?limit=1&limit=2', undefined, 400, 'bad-input'],
    ['GET', '/api/threads?nope=1', undefined, 400, 'bad-input'],
    ['POST', '/api/threads', { workDir: '/nowhere' }, 400, 'bad-input'],
    ['POST', '/api/threads', { workDir: '/project', agent: 'nobody' }, 404, 'not-found'],
    ['POST', '/api/threads', { workDir: '/project', executable: '/bin/sh' }, 400, 'bad-input'],
    ['POST', '/api/threads', '{"workDir":', 400, 'bad-input'],
    ['POST', '/api/threads', '[]', 400, 'bad-input'],
    ['POST', '/api/threads', `{"a":${'['.repeat(65)}${']'.repeat(65)}}`, 400, 'bad-input'],
    ['POST', '/api/threads', { workDir: '/project', title: 'x'.repeat(70_000) }, 413, 'too-large'],
  ])('%s %s with %j gives %i %s', async (method, path, body, status, code) => {
    const answer = await world.call(method, path, body)
    expect([answer.status, answer.body.error?.code]).toEqual([status, code])
    expect(answer.body.error.hint).not.toBe('')
  })

  test('S27 a body that is nested too deep, or too large without saying so, is not parsed', async () => {
    const deep = `{"workDir":${'['.repeat(65)}${']'.repeat(65)}}`
    const { body } = await world.call('POST', '/api/threads', deep)
    expect(body.error.message).toBe('the body is not usable JSON: it is nested deeper than 64')
    const brackets = { workDir: '/project', title: '[{"\\'.repeat(200) }
    expect((await world.call('POST', '/api/threads', brackets)).status).toBe(201)
    const { id } = await world.thread()
    const path = `/api/threads/${id}/turns`
    const most = await world.call('POST', path, { prompt: 'x'.repeat(4.5 * 1024 * 1024) })
    expect([most.status, most.body.error.code]).toEqual([400, 'bad-input'])
    const more = await world.call('POST', path, { prompt: 'x'.repeat(5.5 * 1024 * 1024) })
    expect([more.status, more.body.error.code]).toEqual([413, 'too-large'])
    const said = await world.call('POST', path, {}, { 'content-length': '99999999' })
    expect(said.status).toBe(413)
  })

  test('a field that is not known is named, with the one that was meant', async () => {
    const { id } = await world.thread()
    const { body } = await world.call('POST', `/api/threads/${id}/turns`, { promt: 'hello' })
    expect(body.error).toEqual({
      code: 'bad-input',
      message: 'the body has an unknown field "promt"',
      hint: 'Did you mean "prompt"?',
    })
    const empty = await world.call('POST', `/api/threads/${id}/turns`, {})
    expect(empty.body.error.message).toBe('prompt is missing')
    const turn = { prompt: 'hello', freshSesion: true }
    const other = await world.call('POST', `/api/threads/${id}/turns`, turn)
    expect(other.body.error).toEqual({
      code: 'bad-input',
      message: 'the body has an unknown field "freshSesion"',
      hint: 'Did you mean "freshSession"?',
    })
  })
})

test('a caller that does not want to wait gets busy, and nothing of its turn runs', async () => {
  await world.reprise.close()
  world = await httpWorld({ script: [{ do: [{ type: 'hang' }] }] })
  const { id } = await world.thread()
  const path = `/api/threads/${id}/turns`
  const going = await world.call('POST', path, { prompt: 'one', whenBusy: 'fail' })
  expect(going.status).toBe(202)
  const refused = await world.call('POST', path, { prompt: 'two', whenBusy: 'fail' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'busy'])
  await world.call('POST', `/api/runs/${going.body.runId}/cancel`)
  await world.ended(going.body.runId)
  expect(world.runner.journal).toHaveLength(1)
})

describe('requests that come again', () => {
  const key = { 'idempotency-key': 'k-1' }

  test('I8 the same turn with its key gets the same answer and runs once', async () => {
    const { id } = await world.thread()
    const path = `/api/threads/${id}/turns`
    const send = () => world.call('POST', path, { prompt: 'once' }, key)
    const atOnce = await Promise.all([send(), send(), send()])
    const first = atOnce[0]
    await world.ended(first.body.runId)
    for (const answer of [...atOnce, await send()]) {
      expect([answer.status, answer.body]).toEqual([202, first.body])
    }
    expect((await world.call('GET', `/api/runs?thread=${id}`)).body.items).toHaveLength(1)
    expect(world.runner.journal).toHaveLength(1)
    const other = await world.call('POST', path, { prompt: 'twice' }, key)
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict'])
    const without = await world.call('POST', path, { prompt: 'once' })
    expect(without.body.runId).not.toBe(first.body.runId)
    await world.ended(without.body.runId)
  })

  test('I8 the store remembers a key, also for the next daemon', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reprise-keys-'))
    const store = sqlite(join(directory, 'reprise.db'))
    const send = (id: string) =>
      world.call('POST', `/api/threads/${id}/turns`, { prompt: 'once' }, key)
    await world.reprise.close()
    world = await httpWorld({ store })
    const { id } = await world.thread()
    const first = await send(id)
    await world.ended(first.body.runId)
    await world.reprise.close()
    world = await httpWorld({ store })
    expect((await send(id)).body).toEqual(first.body)
    expect(world.runner.journal).toEqual([])
    rmSync(directory, { recursive: true })
  })

  test('I8 the same retry with its key drops what follows once and runs once', async () => {
    const { id } = await world.thread()
    await world.turn(id, 'one')
    await world.turn(id, 'two')
    const texts = async () => {
      const { body } = await world.call('GET', `/api/threads/${id}`)
      return body.messages.map((message: { text: string }) => message.text)
    }
    const { body: thread } = await world.call('GET', `/api/threads/${id}`)
    const path = `/api/threads/${id}/messages/${thread.messages[0].id}/retry`
    const first = await world.call('POST', path, { text: 'uno' }, key)
    expect(first.status).toBe(202)
    await world.ended(first.body.runId)
    // The message is gone by now, but a request that was done is not checked again.
    const again = await world.call('POST', path, { text: 'uno' }, key)
    expect(again).toMatchObject({
      status: 202,
      body: { runId: first.body.runId, messageId: first.body.messageId, status: 'completed' },
    })
    expect(await texts()).toEqual(['uno', 'echo: uno'])
    expect((await world.call('POST', path, { text: 'due' }, key)).status).toBe(409)
    expect((await world.call('POST', path, { text: 'uno' })).status).toBe(404)
  })

  test('I8 the same thread with its key is created once', async () => {
    const create = (title: string) =>
      world.call('POST', '/api/threads', { workDir: '/project', title }, key)
    const [one, two] = await Promise.all([create('a'), create('a')])
    expect(one.body.id).toBe(two.body.id)
    expect((await create('b')).status).toBe(409)
    expect((await world.call('GET', '/api/threads')).body.items).toHaveLength(1)
  })
})

test('/metrics counts runs, tokens, cost and requests in the text of Prometheus', async () => {
  const { id } = await world.thread()
  await world.turn(id, 'hello')
  await world.turn(id, 'more')
  const { status, body, headers } = await world.call('GET', '/metrics')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('text/plain')
  expect(body).toContain('reprise_runs{status="completed",decision="start"} 1')
  expect(body).toContain('reprise_runs{status="completed",decision="resume"} 1')
  expect(body).toContain('reprise_runs_live 0')
  const totals: readonly string[] = body.match(/^# TYPE \S+_total .*$/gm) ?? []
  expect(totals.length).toBeGreaterThan(2)
  expect(totals.filter((line: string) => !line.endsWith(' counter'))).toEqual([])
  expect(body).toMatch(/reprise_tokens_total\{agent="claude-code",kind="output"\} \d+/)
  expect(body).toMatch(/reprise_cost_usd_total\{agent="claude-code"\} 0\.\d+/)
  expect(body).toContain('route="/api/threads/:id/turns",status="202"} 2')
})

test('I15 /health answers soon, also when the store does not', async () => {
  const log = { ...world.reprise.log, lastPosition: () => new Promise<number>(() => {}) }
  const never = { ...world.reprise, log }
  const { createApp } = await import('./app.ts')
  const app = createApp({ reprise: never, tokens: oneToken('t'), port: () => 1, version: '1' })
  const answer = await app.request('/health', { headers: { host: 'localhost:1' } })
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ status: 'degraded', store: 'slow' })
})

test('U-1 the API describes itself: OpenAPI 3.1 with every route, and a page for people', async () => {
  const { body } = await world.call('GET', '/openapi.json')
  expect(body.openapi).toBe('3.1.0')
  const described = Object.entries(body.paths).flatMap(([path, item]) =>
    Object.keys(item as object).map(method => `${method} ${path}`),
  )
  const routes = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`)
  expect(described.sort()).toEqual(routes.sort())
  const text = JSON.stringify(body)
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
  for (const name of names) expect(body.components.schemas).toHaveProperty(name ?? '')
  const page = await world.call('GET', '/docs')
  expect(page.body).toContain('/api/threads/{id}/turns')
  expect(page.body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
})
