// A real daemon with the fake agent, and browsers that are signed in to it, for all tests of a file.
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type DaemonProcess, ServeWorld } from '../daemon/serve-world.ts'
import { type OpenBrowser, openChromium } from './chromium.ts'

export type DaemonBrowser = {
  world: ServeWorld
  /** A test that restarts the daemon puts the new one here. */
  daemon: DaemonProcess
  reprise: ReturnType<ServeWorld['connect']>
  /** An address that signs a browser in once; without scopes, for all that a browser may do. */
  loginUrl(scopes?: readonly string[]): Promise<string>
  /** A browser of its own, which is closed after the test. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** A page of a new browser, signed in. */
  signIn(scopes?: readonly string[], options?: BrowserContextOptions): Promise<Page>
}

export function useDaemonBrowser(): DaemonBrowser {
  const contexts: BrowserContext[] = []
  let chromium: OpenBrowser
  const at = {
    async loginUrl(scopes) {
      const answer = await at.world.request(at.daemon.url, '/api/logins', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${at.world.approveToken}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ...(scopes && { scopes }) }),
      })
      expect(answer.status).toBe(201)
      return at.daemon.url + ((await answer.json()) as { path: string }).path
    },
    async newContext(options = {}) {
      const context = await chromium.browser.newContext(options)
      // A page on a busy machine takes its time; a test that hangs has a limit of its own.
      context.setDefaultTimeout(120_000)
      contexts.push(context)
      return context
    },
    async signIn(scopes, options = {}) {
      const context = await at.newContext({ reducedMotion: 'reduce', ...options })
      const page = await context.newPage()
      await page.goto(await at.loginUrl(scopes))
      await page.getByRole('heading', { name: 'Inbox' }).waitFor()
      return page
    },
  } as DaemonBrowser
  beforeAll(async () => {
    at.world = (await new ServeWorld().open()) as ServeWorld
    chromium = await openChromium()
    at.daemon = await at.world.serve()
    at.reprise = at.world.connect(at.daemon)
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })
  afterAll(async () => {
    await at.reprise.close()
    await chromium.close()
    await at.world.closeAll()
  })
  return at
}
