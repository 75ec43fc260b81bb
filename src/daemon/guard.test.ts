import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  HOST,
  type HttpWorld,
  httpWorld,
  TOKEN,
} from '../../test/e2e/http/http-world.ts'
import { oneToken } from './caller.ts'
import { PUBLIC_PATHS } from './contract/routes/routes.ts'
import { failedAttempts } from './failed-attempts.ts'

let world: HttpWorld
/** Taken from the app itself: a new route cannot escape. */
let routes: { readonly method: string; readonly path: string }[]

beforeAll(async () => {
  world = await httpWorld()
  const known = world.app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, 'x')}`)
  routes = [...new Set(known)].map(route => {
    const [method = '', path = ''] = route.split(' ')
    return { method, path }
  })
})
afterAll(() => world.reprise.close())

type Headers = Readonly<Record<string, string | null>>

async function statuses(
  headers: Headers,
  only = (_: { method: string; path: string }) => true,
  body?: string,
) {
  const asked = [...routes.filter(only)]
  const answers = await Promise.all(asked.map(route => answerOf(route, { body, headers })))
  return asked.map(({ method, path }, index) => {
    const answer = answers[index]
    return `${method} ${path} ${answer?.status} ${answer?.body?.error?.code}`
  })
}

/** A stream that should have been refused is left at once: it never ends by itself. */
async function answerOf(
  { method, path }: { method: string; path: string },
  { body, headers }: { body: string | undefined; headers: Headers },
): Promise<Pick<Answer, 'status' | 'body'>> {
  const response = await world.request(method, path, { body, headers })
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  if (isJson) return { status: response.status, body: await response.json() }
  await response.body?.cancel()
  return { status: response.status, body: null }
}

const all = (what: string) => routes.map(({ method, path }) => `${method} ${path} ${what}`)
const isPublic = ({ path }: { path: string }) => PUBLIC_PATHS.includes(path)
const isPrivate = ({ path }: { path: string }) => !PUBLIC_PATHS.includes(path)

describe('U-2 the guard, on every route of the app', () => {
  test('knows them all, and only /health and the login are public', () => {
    expect(routes.length).toBeGreaterThan(20)
    expect(PUBLIC_PATHS).toEqual(['/health', '/login'])
  })

  test.each([
    ['none', null],
    ['wrong', 'Bearer Bb1-token-of-a-test'],
    ['truncated', `Bearer ${TOKEN.slice(0, -1)}`],
    ['longer', `Bearer ${TOKEN}x`],
    ['upper-cased', `Bearer ${TOKEN.toUpperCase()}`],
    ['empty', 'Bearer '],
    ['another scheme', `Basic ${TOKEN}`],
    ['bare', TOKEN],
  ])('S4 token %s: 401 on all but the public ones', async (_, authorization) => {
    const wanted = routes
      .filter(isPrivate)
      .map(({ method, path }) => `${method} ${path} 401 unauthorized`)
    expect(await statuses({ authorization }, isPrivate)).toEqual(wanted)
    expect(await statuses({ authorization }, isPublic)).toEqual([
      'GET /health 200 undefined',
      'GET /login 401 unauthorized',
    ])
  })

  test('S4 a token in the URL is no token', async () => {
    const answer = await world.call('GET', `/api/threads?token=${TOKEN}`, undefined, {
      authorization: null,
    })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(JSON.stringify(answer.body)).not.toContain(TOKEN)
  })

  test.each([
    'evil.test',
    'evil.test:4747',
    '127.0.0.1',
    '127.0.0.1:80',
    '127.0.0.1:4747.evil.test',
    'localhost.evil.test:4747',
    '0.0.0.0:4747',
    '2130706433:4747',
    null,
  ])('S2 Host %s: 403 everywhere, with the right token too', async host => {
    expect(await statuses({ host })).toEqual(all('403 forbidden'))
  })

  test.each([
    { origin: 'http://evil.test' },
    { origin: 'null' },
    { origin: 'http://localhost:3000' },
    { origin: `http://${HOST}.evil.test` },
    { origin: `http://${HOST}`, 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('S3 a page with %j: 403 everywhere, with the right token too', async headers => {
    expect(await statuses(headers)).toEqual(all('403 forbidden'))
  })

  test.each([
    {},
    { host: 'localhost:4747' },
    { host: 'LOCALHOST:4747' },
    { host: '[::1]:4747' },
    { origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('lets its own in: %j', async headers => {
    expect((await world.call('GET', '/api/threads', undefined, headers)).status).toBe(200)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/plain; application/json',
    null,
  ])('S5 a mutation with content type %s: 415', async type => {
    const changes = ({ method }: { method: string }) => method !== 'GET'
    const wanted = routes
      .filter(changes)
      .map(({ method, path }) => `${method} ${path} 415 unsupported-type`)
    expect(wanted.length).toBeGreaterThan(5)
    expect(await statuses({ 'content-type': type }, changes, '{}')).toEqual(wanted)
  })

  test('S3 never says Access-Control, and always how to treat its answers', async () => {
    const kinds: Headers[] = [{}, { authorization: null }, { host: 'evil.test' }]
    for (const headers of kinds) {
      for (const { method, path } of [...routes, { method: 'OPTIONS', path: '/api/threads' }]) {
        const origin = { ...headers, origin: `http://${HOST}` }
        const answer = await world.request(method, path, { headers: origin })
        await answer.body?.cancel()
        const names = [...answer.headers.keys()]
        expect(names.filter(name => name.startsWith('access-control'))).toEqual([])
        expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
        expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
        expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
    }
  })

  test('answers 404 for an unknown route only after the token', async () => {
    const path = '/api/secret'
    expect((await world.call('GET', path)).status).toBe(404)
    expect((await world.call('GET', path, undefined, { authorization: null })).status).toBe(401)
    for (const near of ['/health/', '//health', '/health/../api/threads', '/api/../health/x']) {
      const answer = await world.call('GET', near, undefined, { authorization: null })
      expect([near, answer.status]).toEqual([near, 401])
    }
  })
})

test('S4 wrong tokens are slowed down, the right one is not', async () => {
  const other = await httpWorld({ maxFailedAttempts: 3 })
  const wrong = () => other.call('GET', '/api/threads', undefined, { authorization: 'Bearer x' })
  const found = []
  for (let i = 0; i < 5; i++) found.push((await wrong()).status)
  expect(found).toEqual([401, 401, 401, 429, 429])
  expect((await other.call('GET', '/api/threads')).status).toBe(200)
  await other.reprise.close()
})

test('S4 a daemon whose token is empty lets nobody in', async () => {
  const { createApp } = await import('./app.ts')
  const { reprise } = world
  const app = createApp({ reprise, tokens: oneToken(''), port: () => 4747, version: '1' })
  for (const headers of [{ host: HOST }, { host: HOST, authorization: 'Bearer ' }]) {
    expect((await app.request('/api/threads', { headers })).status).toBe(401)
  }
})

test('failed attempts are forgotten after the window', () => {
  let time = 0
  const attempts = failedAttempts({ max: 2, windowMs: 1_000, now: () => time })
  expect([attempts.count(), attempts.count(), attempts.count()]).toEqual([false, false, true])
  time = 2_000
  expect(attempts.count()).toBe(false)
})

test('a host that was allowed when the daemon was started is answered', async () => {
  const other = await httpWorld({ extraHosts: ['reprise.local:8080'] })
  const headers = { host: 'reprise.local:8080', origin: 'http://reprise.local:8080' }
  expect((await other.call('GET', '/health', undefined, headers)).status).toBe(200)
  await other.reprise.close()
})
