import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { countOf } from '../../counts.ts'
import { TOKEN } from '../http/http-world.ts'
import { type BrowserWorld, browserWorld, STRANGERS_PATH } from './browser-world.ts'
import { type OpenBrowser, openChromium } from './chromium.ts'

const ATTACK = fileURLToPath(new URL('browser-attack.js', import.meta.url))
const KINDS = 9
/** In the storms each of the four pages tries everything; otherwise each pair of route and kind is tried on one of them. */
const PAGES = countOf('REPRISE_ATTACK_SHARES', { usual: 4, storm: 1 })

let chromium: OpenBrowser
let daemon: BrowserWorld
let context: BrowserContext
/** Taken from the app itself, with ids that exist: a new route cannot escape. */
let routes: { readonly method: string; readonly path: string }[]
let before: unknown

beforeAll(async () => {
  chromium = await openChromium(['--host-resolver-rules=MAP *.evil.test 127.0.0.1'])
  daemon = await browserWorld()
  const { body: thread } = await daemon.call('POST', '/api/threads', { workDir: '/project' })
  const { body: sent } = await daemon.call('POST', `/api/threads/${thread.id}/turns`, {
    prompt: 'hello',
  })
  // The turn is over, so that nothing changes by itself while the attacks run.
  for await (const event of daemon.world.reprise.runs.follow(sent.runId))
    expect(event.runId).toBe(sent.runId)
  const known = daemon.world.app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => {
      const id = path.startsWith('/api/runs') ? sent.runId : thread.id
      return `${method} ${path.replace(':id', id).replace(':messageId', sent.messageId)}`
    })
  routes = [...new Set(known)].map(route => {
    const [method = '', path = ''] = route.split(' ')
    return { method, path }
  })
  await state()
})
afterAll(async () => {
  await chromium.close()
  await daemon.close()
})

beforeEach(async () => {
  // A user who has signed in: the browser holds the cookie that an attacker would ride on.
  context = await chromium.browser.newContext()
  // Without a page, because the requests of our own page would count as answers to the attack.
  const signedIn = await context.request.get(await daemon.invite(), { maxRedirects: 0 })
  expect(signedIn.status()).toBe(303)
  before = await state()
  daemon.arrived.length = 0
})

type Attempt = { readonly kind: string; readonly target: string; readonly outcome: string }

async function attackFrom(page: Page, base: string, at: number): Promise<readonly Attempt[]> {
  await page.addScriptTag({ path: ATTACK })
  const share = { of: PAGES, at: at % PAGES }
  const attempts: readonly Attempt[] = await page.evaluate(
    `attack(${JSON.stringify({ base, routes, token: TOKEN, share })})`,
  )
  expect(new Set(attempts.map(({ kind }) => kind)).size).toBe(KINDS)
  expect(attempts.length).toBeGreaterThanOrEqual(Math.floor((routes.length * KINDS) / PAGES))
  return attempts
}

/** Everything that an attack could have changed. */
async function state() {
  const paths = ['/api/threads', '/api/runs', '/api/sessions']
  const answers = await Promise.all(paths.map(path => daemon.call('GET', path)))
  const { body: thread } = await daemon.call('GET', `/api/threads/${answers[0]?.body.items[0]?.id}`)
  return JSON.stringify([answers.map(({ body }) => body), thread])
}

async function expectNothingDone() {
  const answered = daemon.arrived.filter(({ status }) => status !== 403)
  expect(answered).toEqual([])
  // Not because nothing came: every route was asked, most of them in every way of this page's share.
  const asked = new Set(daemon.arrived.map(({ path }) => path))
  expect(asked).toEqual(new Set(routes.map(({ path }) => path)))
  expect(daemon.arrived.length).toBeGreaterThanOrEqual(
    Math.floor((routes.length * (KINDS - 1)) / PAGES),
  )
  expect(await state()).toEqual(before)
}

describe('a stranger’s page in a real browser, with the user signed in and the token known', () => {
  test.each([
    ['another site', 'http://localhost', 0],
    ['another port of the same host, which gets the same cookies', 'http://127.0.0.1', 1],
    ['a name of its own that leads here', 'http://pages.evil.test', 2],
  ])('S3 on %s: no route answers', async (_, origin, at) => {
    const page = await context.newPage()
    await page.goto(`${origin}:${daemon.strangersPort}/`)
    const base = `http://127.0.0.1:${daemon.port}`
    const attempts = await attackFrom(page, base, at)
    expect(attempts.filter(({ outcome }) => outcome !== 'nothing')).toEqual([])
    await page.close()
    await expectNothingDone()
    await context.close()
  })

  test('S2 a name that is rebound to this machine: no route answers', async () => {
    const page = await context.newPage()
    const base = `http://rebound.evil.test:${daemon.port}`
    await page.goto(`${base}${STRANGERS_PATH}`)
    const attempts = await attackFrom(page, base, 3)
    // Of its own origin, as the browser sees it: what it reads is the refusal.
    expect(attempts.filter(({ outcome }) => !['nothing', '403'].includes(outcome))).toEqual([])
    await page.close()
    await expectNothingDone()
    expect(new Set(daemon.arrived.map(({ host }) => host))).toEqual(
      new Set([`rebound.evil.test:${daemon.port}`]),
    )
    await context.close()
  })
})
