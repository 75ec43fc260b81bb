import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOST, type HttpWorld, httpWorld, TOKEN } from '../../../test/e2e/http/http-world.ts'
import { oneToken } from '../caller.ts'
import { KEY_HEADER } from '../contract/scope.ts'
import { Logins } from './logins.ts'

let world: HttpWorld
let files: string
beforeEach(async () => {
  files = mkdtempSync(join(tmpdir(), 'dashboard-files-'))
  writeFileSync(join(files, 'index.html'), '<title>Reprise, the dashboard of a test')
  world = await httpWorld({ dashboardFiles: pathToFileURL(`${files}/`) })
})
afterEach(async () => {
  await world.reprise.close()
  rmSync(files, { recursive: true })
})

/** As a browser: no token. */
const ask = (method: string, path: string, headers: Record<string, string | null> = {}) =>
  world.call(method, path, undefined, { authorization: null, 'content-type': null, ...headers })

async function signIn() {
  const { status, body } = await world.call('POST', '/api/logins')
  expect(status).toBe(201)
  const answer = await ask('GET', body.path)
  const setCookie = answer.headers.get('set-cookie') ?? ''
  const location = answer.headers.get('location') ?? ''
  return {
    path: body.path as string,
    answer,
    setCookie,
    cookie: setCookie.split(';')[0] ?? '',
    key: location.replace('/#csrf=', ''),
  }
}

describe('a browser', () => {
  test('S7 gets a cookie for a code, and in with cookie and key', async () => {
    const { answer, setCookie, cookie, key } = await signIn()
    expect(answer.status).toBe(303)
    expect(setCookie).toMatch(
      /^reprise-4747=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(`${setCookie}${key}`).not.toContain(TOKEN)
    const home = await ask('GET', '/', { cookie })
    expect([home.status, home.body]).toEqual([
      200,
      expect.stringContaining('<title>Reprise, the dashboard'),
    ])
    expect((await ask('GET', '/docs', { cookie })).status).toBe(200)
    expect((await ask('GET', '/api/threads', { cookie, [KEY_HEADER]: key })).status).toBe(200)
  })

  test('S7 a code works once; a look at the address does not use it up', async () => {
    const { body } = await world.call('POST', '/api/logins', {})
    await ask('HEAD', body.path)
    expect((await ask('GET', body.path)).status).toBe(303)
    const again = await ask('GET', body.path)
    expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null])
    expect((await ask('GET', '/login')).status).toBe(401)
    expect((await ask('GET', '/login?code=x')).status).toBe(401)
  })

  test('S7 the cookie alone is good for pages, not for data: other ports of the host get it too', async () => {
    const { cookie, key } = await signIn()
    const other = await signIn()
    for (const headers of [{}, { [KEY_HEADER]: '' }, { [KEY_HEADER]: other.key }]) {
      const answers = [
        await ask('GET', '/api/threads', { cookie, ...headers }),
        await ask('POST', '/api/logout', { cookie, ...headers }),
        await ask('GET', '/metrics', { cookie, ...headers }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    }
    for (const path of ['/', '/docs', '/openapi.json']) {
      expect(JSON.stringify((await ask('GET', path, { cookie })).body)).not.toContain(key)
    }
  })

  test('S7 the key alone, or another cookie, is nothing', async () => {
    const { key } = await signIn()
    expect((await ask('GET', '/api/threads', { [KEY_HEADER]: key })).status).toBe(401)
    const cookie = `reprise-4747=${key}`
    expect((await ask('GET', '/api/threads', { cookie, [KEY_HEADER]: key })).status).toBe(401)
    expect((await ask('GET', '/', { cookie })).status).toBe(401)
  })

  test('S9 may read, submit and approve, but lets nobody in', async () => {
    const { cookie, key } = await signIn()
    expect((await ask('POST', '/api/logins', { cookie, [KEY_HEADER]: key })).status).toBe(403)
  })

  test('S9 may do only what its code was created for', async () => {
    const { body } = await world.call('POST', '/api/logins', { scopes: ['read'] })
    const answer = await ask('GET', body.path)
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const key = (answer.headers.get('location') ?? '').replace('/#csrf=', '')
    const headers = { cookie, [KEY_HEADER]: key }
    expect((await ask('GET', '/api/me', headers)).body).toMatchObject({ scopes: ['read'] })
    expect((await ask('GET', '/api/threads', headers)).status).toBe(200)
    const created = await world.call(
      'POST',
      '/api/threads',
      { workDir: '/project' },
      { authorization: null, ...headers },
    )
    expect(created.status).toBe(403)
    for (const scopes of [['admin'], ['all'], []]) {
      expect((await world.call('POST', '/api/logins', { scopes })).status).toBe(400)
    }
  })

  test('S3 is refused from a page of another origin, with cookie and key too', async () => {
    const { cookie, key } = await signIn()
    const headers = { cookie, [KEY_HEADER]: key, origin: 'http://localhost:3000' }
    expect((await ask('GET', '/api/threads', headers)).status).toBe(403)
    const own = { ...headers, origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }
    expect((await ask('GET', '/api/threads', own)).status).toBe(200)
  })

  test('S7 learns how to sign in when it has not', async () => {
    const { status, body } = await ask('GET', '/')
    expect([status, body.error.hint]).toEqual([401, expect.stringContaining('reprise login')])
  })

  test('S7 is out after it signed out', async () => {
    const { cookie, key } = await signIn()
    const out = await ask('POST', '/api/logout', { cookie, [KEY_HEADER]: key })
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringContaining('Max-Age=0'),
    ])
    expect((await ask('GET', '/', { cookie })).status).toBe(401)
  })

  test('S26 gets pages that run what is in them and load nothing', async () => {
    const { cookie } = await signIn()
    const { headers } = await ask('GET', '/', { cookie })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; /,
    )
    for (const part of [
      "require-trusted-types-for 'script'",
      "frame-ancestors 'none'",
      "form-action 'none'",
      "base-uri 'none'",
    ]) {
      expect(policy).toContain(part)
    }
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })
})

describe('logins', () => {
  const open = () => {
    const time = { now: 0 }
    const token = { current: 'one' }
    const tokens = { hashOf: () => oneToken(token.current).hashOf(null) }
    return { time, token, logins: new Logins({ tokens, now: () => time.now }) }
  }

  test('S7 a code is too old after a minute', () => {
    const { time, logins } = open()
    const late = logins.invite({})
    time.now = 60_000
    expect(late.expiresAt).toBe(60_000)
    expect(logins.redeem(late.code)).toBeNull()
    const { code } = logins.invite({})
    time.now = 119_999
    expect(logins.redeem(code)).not.toBeNull()
  })

  test('a login that is not used for half a day ends', () => {
    const { time, logins } = open()
    const login = logins.redeem(logins.invite({}).code)
    time.now = 12 * 3_600_000
    expect(logins.isOpen(login?.cookie ?? '')).toBe(true)
    time.now *= 3
    expect(logins.isOpen(login?.cookie ?? '')).toBe(false)
  })

  test('ends with the main token it was given under', () => {
    const { token, logins } = open()
    const login = logins.redeem(logins.invite({}).code)
    token.current = 'two'
    expect(logins.isOpen(login?.cookie ?? '')).toBe(false)
  })

  test('S27 are bounded, and so are codes', () => {
    const { logins } = open()
    const first = logins.invite({})
    for (let i = 0; i < 20; i++) logins.invite({})
    expect(logins.redeem(first.code)).toBeNull()
    const earliest = logins.redeem(logins.invite({}).code)
    for (let i = 0; i < 100; i++) logins.redeem(logins.invite({}).code)
    expect(logins.isOpen(earliest?.cookie ?? '')).toBe(false)
  })
})
