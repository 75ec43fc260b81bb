import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrowserWorld, browserWorld } from './browser-world.ts'
import { type OpenBrowser, openChromium } from './chromium.ts'

let chromium: OpenBrowser
let daemon: BrowserWorld

beforeAll(async () => {
  chromium = await openChromium()
  daemon = await browserWorld()
})
afterAll(async () => {
  await chromium.close()
  await daemon.close()
})

const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  '<script>document.title=1</script>',
  '"><svg onload=document.title=1>',
  'javascript:document.title=1',
  '<iframe src="http://127.0.0.1:1/">',
  '{{document.title=1}}',
]

/** What a page says that it must not say, and where it goes that it must not go. */
function watch(page: Page) {
  const complaints: string[] = []
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('dialog', dialog => complaints.push(dialog.message()))
  page.on('request', request => {
    if (!request.url().startsWith(`http://127.0.0.1:${daemon.port}/`))
      complaints.push(request.url())
  })
  return complaints
}

test('S7 S26 a browser signs in, sees the threads as text, and signs out', async () => {
  for (const title of ['A thread', ...HOSTILE]) {
    await daemon.call('POST', '/api/threads', { workDir: '/project', title })
  }
  const context = await chromium.browser.newContext()
  const page = await context.newPage()
  const complaints = watch(page)
  const address = await daemon.invite()
  await page.goto(address)
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  // The key is out of the address, and so out of the history.
  expect(page.url()).toBe(`http://127.0.0.1:${daemon.port}/`)
  await page.getByRole('link', { name: 'Threads' }).click()
  await page.getByRole('link', { name: 'A thread' }).waitFor()
  const titles = await page.locator('tbody a').allTextContents()
  expect(new Set(titles)).toEqual(new Set(['A thread', ...HOSTILE]))
  expect(await page.title()).toBe('Threads · Reprise')
  expect(await page.evaluate('document.cookie')).toBe('')
  const [cookie] = await context.cookies()
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
  await keepPicture(page, 'home')

  await page.reload()
  await page.getByRole('link', { name: 'A thread' }).waitFor()
  await page.goto(`http://127.0.0.1:${daemon.port}/docs`)
  await page.getByText('/api/threads/{id}/turns').waitFor()
  await keepPicture(page, 'docs')
  await page.goBack()
  expect(complaints).toEqual([])

  const again = await (await context.newPage()).goto(address)
  expect([again?.status(), await again?.text()]).toEqual([
    401,
    expect.stringContaining('<h1>You are not signed in</h1>'),
  ])
  const wrong = await (await context.newPage()).goto(`${address.split('?')[0]}?code=nonsense`)
  expect([wrong?.status(), await wrong?.text()]).toEqual([
    401,
    expect.stringContaining('<h1>You are not signed in</h1>'),
  ])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out').waitFor()
  expect((await page.reload())?.status()).toBe(401)
  await context.close()
})

test('S7 a page without the key of its login is asked to sign in again', async () => {
  const context = await chromium.browser.newContext()
  const page = await context.newPage()
  await page.goto(await daemon.invite())
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await page.evaluate('localStorage.clear()')
  await page.reload()
  await page.getByText('You are signed out').waitFor()
  await context.close()
})

/** For people who want to look: `REPRISE_PICTURES=dir`. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const directory = process.env.REPRISE_PICTURES
  if (!directory) return
  mkdirSync(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.png`) })
}
