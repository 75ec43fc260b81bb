import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpWorld, httpWorld, TOKEN } from '../../test/e2e/http/http-world.ts'
import { type Caller, oneToken, type Tokens } from './caller.ts'
import { PAGE_PATHS } from './contract/routes/browser-routes.ts'
import { needsOf, ROUTES } from './contract/routes/routes.ts'
import { SCOPES, type Scope } from './contract/scope.ts'

let world: HttpWorld
let routes: { readonly method: string; readonly path: string; readonly scope: Scope | null }[]

/** Each scope's name is the token of a caller with that scope alone. */
const tokens: Tokens = {
  ...oneToken(TOKEN),
  callerOf: token => oneToken(TOKEN).callerOf(token) ?? callers.get(token) ?? null,
}
const callers = new Map<string, Caller>([
  ...SCOPES.map(scope => [scope, { name: scope, scopes: [scope] }] as const),
  ['nothing', { name: 'nothing', scopes: [] }],
])

beforeAll(async () => {
  world = await httpWorld({ tokens })
  const known = world.app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => [`${method} ${path}`, { method, path }] as const)
  routes = [...new Map(known).values()].map(({ method, path }) => {
    return { method, path, scope: needsOf(method, path)?.scope ?? null }
  })
})
afterAll(() => world.reprise.close())

const as = (token: string) => ({ authorization: `Bearer ${token}` })

describe('scopes', () => {
  test('S9 every route of the app is in the contract, and all but /health and the login need one', () => {
    const unknown = routes.filter(({ method, path }) => needsOf(method, path) === null)
    expect(unknown).toEqual([])
    expect(routes.filter(({ scope }) => scope === null).map(({ path }) => path)).toEqual([
      '/health',
      '/login',
    ])
    expect(routes).toHaveLength(Object.keys(ROUTES).length + PAGE_PATHS.length)
  })

  test.each([...SCOPES, 'nothing'])(
    'S9 a token with %s alone gets no further than that',
    async token => {
      for (const { method, path, scope } of routes) {
        if (scope === null || scope === token) continue
        const answer = await world.call(method, path.replaceAll(/:\w+/g, 'x'), undefined, as(token))
        expect([method, path, answer.status, answer.body.error.code]).toEqual([
          method,
          path,
          403,
          'forbidden',
        ])
        expect(answer.body.error.hint).toContain(scope)
      }
    },
  )

  test('S9 a scope lets through what it is for', async () => {
    expect((await world.call('GET', '/api/threads', undefined, as('read'))).status).toBe(200)
    expect((await world.request('HEAD', '/api/threads', { headers: as('read') })).status).toBe(200)
    expect((await world.request('HEAD', '/api/threads', { headers: as('submit') })).status).toBe(
      403,
    )
    const made = await world.call('POST', '/api/threads', { workDir: '/project' }, as('submit'))
    expect(made.status).toBe(201)
  })

  test('S9 a caller learns its own name and scopes, and whether a person has to decide for it', async () => {
    const { status, body } = await world.call('GET', '/api/me')
    expect([status, body]).toEqual([
      200,
      { name: 'main', scopes: SCOPES, version: '0.0.0-test', isExposed: false },
    ])
    callers.set('exposed', { name: 'main', scopes: SCOPES, isExposed: true })
    const meOf = async (token: string) =>
      (await world.call('GET', '/api/me', undefined, as(token))).body
    expect(await meOf('read')).toMatchObject({ name: 'read', scopes: ['read'], isExposed: false })
    expect(await meOf('exposed')).toMatchObject({ isExposed: true })
  })

  test('S9 what a request says about itself changes nothing', async () => {
    const { id } = await world.thread()
    const path = `/api/threads/${id}`
    const claims = [
      await world.call('DELETE', `${path}?scope=submit`, undefined, as('read')),
      await world.call('POST', `${path}/turns`, { prompt: 'x', scope: 'admin' }, as('read')),
      await world.call('DELETE', path, undefined, { ...as('read'), 'x-scope': 'admin' }),
      await world.call('GET', path, undefined, {
        ...as('read'),
        'x-http-method-override': 'DELETE',
      }),
    ]
    expect(claims.map(({ status }) => status)).toEqual([403, 403, 403, 200])
    const wide = { prompt: 'x', scope: 'admin' }
    expect((await world.call('POST', `${path}/turns`, wide, as('submit'))).status).toBe(400)
    expect((await world.call('GET', path)).body.messages).toEqual([])
  })

  test.each([
    { permissionMode: 'bypassPermissions' },
    { allowedTools: ['Bash'] },
    { trust: 'project' },
    { trust: 'user' },
    { sandbox: 'none' },
    { sandbox: 'auto' },
  ])('S9 to choose permissions is to approve: %j', async more => {
    callers.set('both', { name: 'both', scopes: ['submit', 'approve'] })
    const { id } = await world.thread()
    const path = `/api/threads/${id}/turns`
    const refused = await world.call('POST', path, { prompt: 'x', ...more }, as('submit'))
    expect([refused.status, refused.body.error.hint]).toEqual([
      403,
      expect.stringContaining('approve'),
    ])
    const sent = await world.call('POST', path, { prompt: 'x', ...more }, as('both'))
    expect(sent.status).toBe(202)
    await world.ended(sent.body.runId)
    const message = `/api/threads/${id}/messages/${sent.body.messageId}/retry`
    expect((await world.call('POST', message, more, as('submit'))).status).toBe(403)
  })

  test('S9 S16 without approve the agent trusts nobody, in threads and jobs of the caller and of others', async () => {
    callers.set('both', { name: 'both', scopes: ['submit', 'approve'] })
    const trustOf = async (path: string, body: object, token: string) =>
      (await world.call('POST', path, body, as(token))).body
    const made = await trustOf('/api/threads', { workDir: '/project' }, 'submit')
    expect(made.trust).toBe('none')
    const { id } = await world.thread()
    for (const [token, trust] of [
      ['submit', 'none'],
      ['both', 'project'],
    ] as const) {
      const { runId } = await trustOf(`/api/threads/${id}/turns`, { prompt: 'x' }, token)
      expect((await world.ended(runId)).trust).toBe(trust)
    }
    const asked = { workDir: '/project', messages: [{ role: 'user', text: 'hi' }] }
    const adopted = await trustOf('/api/threads/adopt', asked, 'submit')
    expect((await world.call('GET', `/api/threads/${adopted.id}`)).body.trust).toBe('none')
    const job = await trustOf('/api/jobs', { prompt: 'x', workDir: '/project' }, 'submit')
    expect(job.trust).toBe('none')
    const wanted = { prompt: 'x', workDir: '/project', trust: 'project' }
    expect((await world.call('POST', '/api/jobs', wanted, as('submit'))).status).toBe(403)
  })
})
