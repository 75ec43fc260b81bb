// A signed-in page of the dashboard over the full demo store, with a record of what the page must not do; and axe on it.
import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type ServedStore, serveFullStore } from '../../../src/cli/demo/full/full-store.ts'
import { type OpenBrowser, openChromium } from './chromium.ts'

const AXE = readFileSync(
  new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url),
  'utf8',
)

/** Each theme and each width. Widths move things and themes colour them, so contrast is looked at once in each theme. */
export const LOOKS = [
  { width: 1440, colorScheme: 'light', contrast: true },
  { width: 768, colorScheme: 'dark', contrast: true },
  { width: 375, colorScheme: 'light', contrast: false },
] as const

export type DashboardWorld = {
  readonly store: ServedStore
  readonly page: Page
  /** Errors of the page, and requests to elsewhere. */
  readonly complaints: string[]
  /** What axe finds at an address, in both themes and three widths; `prepare` opens what lies above the view. */
  faultsOf(address: string, prepare?: () => Promise<unknown>): Promise<readonly string[]>
  /** Waits until the view of an address is there. */
  open(address: string): Promise<void>
  close(): Promise<void>
}

export async function dashboardWorld(): Promise<DashboardWorld> {
  const [store, chromium] = await Promise.all([serveFullStore({ still: true }), openChromium()])
  // The policy of the page forbids what axe and these tests inject; other tests look at the policy.
  const context = await chromium.browser.newContext({ bypassCSP: true, reducedMotion: 'reduce' })
  // A page on a busy machine takes its time; a test that hangs has a limit of its own.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(error.message))
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  page.on('request', request => {
    if (!/^(?:data:|blob:)/.test(request.url()) && !request.url().startsWith(store.url)) {
      complaints.push(request.url())
    }
  })
  await page.goto(store.invite())
  const open = async (address: string) => {
    await page.goto(store.url + address)
    await page.locator('main h1').waitFor()
    // A dialog that the address opens loads by itself, and a long conversation is drawn in steps. A log is busy while its run is.
    const loading = page.locator('[aria-busy="true"]:not([role="log"])')
    await expect.poll(() => loading.count()).toBe(0)
  }
  return {
    store,
    page,
    complaints,
    open,
    faultsOf: async (address, prepare) => {
      const faults: string[] = []
      await open(address)
      await prepare?.()
      await page.evaluate(AXE)
      for (const { width, colorScheme, contrast } of LOOKS) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme })
        faults.push(
          ...(await look(page, contrast)).map(
            fault => `${address} ${width} ${colorScheme}: ${fault}`,
          ),
        )
      }
      await page.setViewportSize({ width: 1440, height: 900 })
      return faults
    },
    close: () => closeAll(context, chromium, store),
  }
}

/** Violations of WCAG 2.2 AA, and anything that is wider than the window. */
async function look(page: Page, contrast: boolean): Promise<readonly string[]> {
  return (await page.evaluate(`(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    // axe describes only what is wrong and loads no file again; otherwise it takes twice as long.
    const rules = { 'color-contrast': { enabled: ${contrast} } }
    const options = { runOnly: tags, rules, resultTypes: ['violations'], preload: false }
    const { violations } = await axe.run(document, options)
    const wide = document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : []
    return [...wide, ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => [id, target.join(' '), failureSummary.split('\\n')[1]].join(' | ')))]
  })()`)) as readonly string[]
}

async function closeAll(
  context: BrowserContext,
  chromium: OpenBrowser,
  store: ServedStore,
): Promise<void> {
  await context.close()
  await chromium.close()
  await store.close()
}
