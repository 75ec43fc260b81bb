import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROUTES } from '../../../src/daemon/contract/routes/routes.ts'
import { sqlite } from '../../../src/index.ts'
import { hostileStrings } from '../../../src/testing/hostile-strings.ts'
import { countOf } from '../../counts.ts'
import { type HttpWorld, httpWorld } from './http-world.ts'

/** Enough to be quick; more by environment. */
const ASKED = process.env.REPRISE_HOSTILE_STRINGS
const COUNT = countOf('REPRISE_HOSTILE_STRINGS', { usual: 30, storm: 150 })

type Attempt = {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type Places = { readonly thread: string; readonly message: string; readonly run: string }

/** Every string field of every route, each with one hostile value and everything else in order. */
function attempts(
  text: string,
  { thread, message, run }: Places,
): Readonly<Record<string, Attempt>> {
  const escaped = encodeURIComponent(text.toWellFormed())
  const post = (path: string, body: unknown): Attempt => ({ method: 'POST', path, body })
  const get = (path: string, headers: Record<string, string> = {}): Attempt => ({
    method: 'GET',
    path,
    headers: { accept: 'application/json', ...headers },
  })
  const turns = `/api/threads/${thread}/turns`
  const preview = `/api/threads/${thread}/preview`
  const retry = `/api/threads/${thread}/messages/${message}/retry`
  const turn = { prompt: 'ok' }
  const job = { prompt: 'ok', workDir: '/nowhere' }
  const options = {
    agent: { agent: text },
    model: { model: text },
    workDir: { workDir: text },
    permissionMode: { permissionMode: text },
    allowedTools: { allowedTools: [text] },
    disallowedTools: { disallowedTools: [text] },
    whenBusy: { whenBusy: text },
    key: { [text]: 1 },
  }
  const inOptions = (name: string, path: string, rest: object) =>
    Object.entries(options).map(([field, value]) => [
      `${name} ${field}`,
      post(path, { ...rest, ...value }),
    ])
  return {
    'createThread workDir': post('/api/threads', { workDir: text }),
    'createThread agent': post('/api/threads', { workDir: '/project', agent: text }),
    'createThread title': post('/api/threads', { workDir: '/project', title: text }),
    'createThread view': post('/api/threads', { workDir: '/project', view: text }),
    'createThread key': post('/api/threads', { workDir: '/project', [text]: text }),
    'createThread body': post('/api/threads', text),
    'sendTurn prompt': post(turns, { prompt: text }),
    'sendTurn instructions': post(turns, { prompt: 'ok', instructions: text }),
    ...Object.fromEntries(inOptions('sendTurn', turns, turn)),
    'previewTurn prompt': post(preview, { prompt: text }),
    'previewTurn instructions': post(preview, { instructions: text }),
    ...Object.fromEntries(inOptions('previewTurn', preview, turn)),
    'retryMessage text': post(`/api/threads/${thread}/messages/msg_none/retry`, { text }),
    ...Object.fromEntries(inOptions('retryMessage', retry, {})),
    'editMessage text': {
      method: 'PATCH',
      path: `/api/threads/${thread}/messages/msg_none`,
      body: { text },
    },
    'answerQuestion call': post(`/api/runs/${run}/tool-result`, { toolUseId: text, content: 'x' }),
    'answerQuestion content': post(`/api/runs/${run}/tool-result`, {
      toolUseId: 'a',
      content: text,
    }),
    'answerQuestion key': post(`/api/runs/${run}/tool-result`, {
      toolUseId: 'a',
      content: { [text]: text },
    }),
    'answerQuestion message': post(`/api/runs/${run}/tool-result`, {
      toolUseId: 'a',
      allow: false,
      message: text,
    }),
    'listQuestions state': get(`/api/questions?state=${escaped}`),
    'listQuestions cursor': get(`/api/questions?cursor=${escaped}`),
    'submitJob workDir': post('/api/jobs', { prompt: 'ok', workDir: text }),
    'submitJob concurrencyKey': post('/api/jobs', { ...job, concurrencyKey: text }),
    'submitJob schedule': post('/api/jobs', { ...job, schedule: text }),
    'submitJob tools': post('/api/jobs', { ...job, allowedTools: [text] }),
    'submitJob key': post('/api/jobs', { ...job, [text]: 1 }),
    'listJobs status': get(`/api/jobs?limit=1&status=${escaped}`),
    'startChain policy': post('/api/chains', { policy: text, prompt: 'ok', workDir: '/project' }),
    'startChain workDir': post('/api/chains', { policy: 'ops', prompt: 'ok', workDir: text }),
    'startChain key': post('/api/chains', { policy: 'ops', prompt: 'ok', [text]: text }),
    'listChains policy': get(`/api/chains?limit=1&policy=${escaped}`),
    'forkThread at': post(`/api/threads/${thread}/fork`, { at: text }),
    'forkThread title': post(`/api/threads/${thread}/fork`, { title: text }),
    'cancelRun key': post(`/api/runs/${run}/cancel`, { [text]: text }),
    'listThreads q': get(`/api/threads?limit=1&q=${escaped}`),
    'listThreads cursor': get(`/api/threads?limit=1&cursor=${escaped}`),
    'listThreads limit': get(`/api/threads?limit=${escaped}`),
    'listThreads key': get(`/api/threads?limit=1&${escaped}=1`),
    'listRuns thread': get(`/api/runs?limit=1&thread=${escaped}`),
    'listRuns session': get(`/api/runs?limit=1&session=${escaped}`),
    'listRuns status': get(`/api/runs?limit=1&status=${escaped}`),
    'listRuns cursor': get(`/api/runs?limit=1&cursor=${escaped}`),
    'listSessions thread': get(`/api/sessions?limit=1&thread=${escaped}`),
    'listSessions agent': get(`/api/sessions?limit=1&agent=${escaped}`),
    'listSessions cursor': get(`/api/sessions?limit=1&cursor=${escaped}`),
    'savings by': get(`/api/savings?by=${escaped}`),
    'runEvents after': get(`/api/runs/${run}/events?limit=1&after=${escaped}`),
    'events after': get(`/api/events?limit=1&after=${escaped}`),
    'events last': get('/api/events?limit=1', { 'last-event-id': text }),
    'sendTurn idempotency': {
      ...post('/api/threads/thr_none/turns', turn),
      headers: { 'idempotency-key': text },
    },
    ...Object.fromEntries(
      Object.entries(ROUTES)
        .filter(([, { path }]) => path.includes('{'))
        .map(([name, { method, path }]) => [
          `${name} id`,
          {
            method: method.toUpperCase(),
            path: path.replaceAll(/\{\w+\}/g, escaped.slice(0, 8_000) || '%20'),
            ...(method !== 'get' && method !== 'delete' && { body: { prompt: 'a', text: 'a' } }),
            headers: { accept: 'application/json' },
          },
        ]),
    ),
  }
}

/** What a client cannot even put into a header never arrives. */
function isSendable({ headers = {} }: Attempt): boolean {
  try {
    new Headers(headers)
    return true
  } catch {
    return false
  }
}

const FLAGS = [
  '--print',
  '--output-format',
  'stream-json',
  '--verbose',
  '--include-partial-messages',
  '--input-format',
  '--model',
  '--permission-mode',
  '--session-id',
  '--resume',
  '--fork-session',
  '--resume-session-at',
  '--append-system-prompt-file',
  '--permission-prompt-tool',
  'stdio',
  '--settings',
  '--system-prompt-snapshot',
]

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions']

/** Our constants, or a value that passed its pattern at the place where it belongs. */
function isLawful(argument: string, before: string | undefined): boolean {
  if (FLAGS.includes(argument)) return true
  if (before === '--model') return /^[A-Za-z0-9][A-Za-z0-9._:/@-]*(\[1m\])?$/.test(argument)
  if (before === '--system-prompt-snapshot') return argument === 'off'
  if (before === '--permission-mode') return MODES.includes(argument)
  if (before === '--append-system-prompt-file' || before === '--settings') {
    return /^\/[^\s]+\/[0-9a-f]{64}\.md$/.test(argument)
  }
  if (['--session-id', '--resume', '--resume-session-at'].includes(before ?? '')) {
    return /^[0-9a-f-]{36}$/.test(argument)
  }
  return /^--(?:dis)?allowedTools=[A-Za-z][\w.*-]*(?:\([^()\p{Cc}]+\))?$/u.test(argument)
}

describe('hostile strings over HTTP', () => {
  let world: HttpWorld
  const tally = new Map<number, number>()

  beforeAll(async () => {
    world = await httpWorld()
  })
  afterAll(() => world.reprise.close())

  async function survives(name: string, text: string, attempt: Attempt): Promise<void> {
    const { method, path, body, headers = {} } = attempt
    const answer = await world.call(method, path, body, headers)
    tally.set(answer.status, (tally.get(answer.status) ?? 0) + 1)
    const isOurs = answer.status >= 500
    expect(isOurs, `${name} ${JSON.stringify(text.slice(0, 200))} ${answer.status}`).toBe(false)
    if (answer.body.runId) await world.ended(answer.body.runId)
  }

  test(
    `S12 S29 ${COUNT} of them in every string field of every route: never our fault`,
    async () => {
      let places: Places = { thread: '', message: '', run: '' }
      let number = 0
      for (const text of hostileStrings(COUNT)) {
        if (number++ % 10 === 0) {
          const { id: thread } = await world.thread()
          const { id: run } = await world.turn(thread, 'first')
          const { body } = await world.call('GET', `/api/threads/${thread}`)
          places = { thread, run, message: body.messages[0].id }
        }
        const sendable = Object.entries(attempts(text, places)).filter(([, one]) => isSendable(one))
        await Promise.all(sendable.map(([name, attempt]) => survives(name, text, attempt)))
      }
      expect(world.faults).toEqual([])
      if (ASKED) console.info('answers by status', Object.fromEntries(tally))
    },
    120_000 + COUNT * 6_000,
  )

  test('S12 what was started got only our constants and validated values', () => {
    const { journal } = world.runner
    expect(journal.length).toBeGreaterThan(COUNT)
    const unlawful = journal.flatMap(({ args }) =>
      args.filter((argument, index) => !isLawful(argument, args[index - 1])),
    )
    expect(unlawful).toEqual([])
    expect(new Set(journal.map(({ cwd }) => cwd))).toEqual(new Set(['/project']))
  })

  test('S30 no key changes what objects are', async () => {
    const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
    const { id } = await world.thread()
    for (const key of keys) {
      for (const path of ['/api/threads', `/api/threads/${id}/turns`, `/api/threads/${id}/fork`]) {
        const body = `{"workDir":"/work","prompt":"a","${key}":{"polluted":true}}`
        expect((await world.call('POST', path, body)).status).toBe(400)
      }
      expect((await world.call('GET', `/api/threads?${key}[polluted]=1`)).status).toBe(400)
    }
    expect('polluted' in {}).toBe(false)
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

test('S29 paths and ids never leave their place, also with real files', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reprise-http-'))
  const world = await httpWorld({ store: sqlite(join(directory, 'reprise.db')), realFiles: true })
  const ids = ['..%2f..%2fetc%2fpasswd', '%00', 'a%00b', '%e2%88%95etc', '%ff', 'a%2fb']
  for (const { method, path } of Object.values(ROUTES).filter(route => route.path.includes('{'))) {
    for (const id of ids) {
      const asked = path.replaceAll(/\{\w+\}/g, id)
      const body = method === 'get' || method === 'delete' ? undefined : { prompt: 'a' }
      const json = { accept: 'application/json' }
      const { status } = await world.call(method.toUpperCase(), asked, body, json)
      expect([400, 404], `${method} ${asked} ${status}`).toContain(status)
    }
  }
  for (const workDir of [
    '\0',
    '/tmp\0x',
    '../../..',
    '.',
    '/etc/passwd',
    '/proc/self/root/none',
    'a'.repeat(5_000),
  ]) {
    const { status } = await world.call('POST', '/api/threads', { workDir })
    expect(status, JSON.stringify(workDir.slice(0, 50))).toBeLessThan(500)
    if (workDir.includes('\0') || workDir === '/etc/passwd') expect(status).toBe(400)
  }
  expect(world.faults).toEqual([])
  await world.reprise.close()
  rmSync(directory, { recursive: true })
})
