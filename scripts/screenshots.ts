// Makes pictures of the dashboard from the full demo store: `node scripts/screenshots.ts --to DIR --views a,b --widths 1440 --themes light,dark`.
// Without options it makes those of README and docs, as `npm run screenshots` does. A view may name a theme of its own: `inbox:dark`.
// The browser of the tests has no font for code; `--mono FILE` names one, such as a woff2 file.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serveFullStore } from '../src/cli/demo/full/full-store.ts'
import { openChromium } from '../test/e2e/browser/chromium.ts'

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: 'docs/pictures' },
    views: { type: 'string', default: 'thread:light,chain:light,inbox:dark,job:dark' },
    widths: { type: 'string', default: '1440' },
    themes: { type: 'string', default: 'light,dark' },
    mono: { type: 'string' },
  },
})

// The pictures show its name, so it is short and always the same.
const directory = join(tmpdir(), 'demo')
mkdirSync(directory)
const store = await serveFullStore({ directory })
const chromium = await openChromium()
try {
  mkdirSync(values.to, { recursive: true })
  const addresses = await addressesOf()
  for (const theme of values.themes.split(',')) {
    const context = await chromium.browser.newContext({
      colorScheme: theme === 'dark' ? 'dark' : 'light',
      reducedMotion: 'reduce',
      // A zone of its own, so that pictures are the same everywhere.
      timezoneId: 'UTC',
      // The policy of the page allows no font from elsewhere.
      bypassCSP: values.mono !== undefined,
    })
    const page = await context.newPage()
    if (values.mono !== undefined) await page.addInitScript(fontScript(values.mono))
    page.on('console', message => message.type() === 'error' && console.error(message.text()))
    page.on('pageerror', error => console.error(error.message))
    await page.goto(store.invite())
    for (const view of viewsIn(theme)) {
      for (const width of values.widths.split(',').map(Number)) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(store.url + (addresses[view] ?? view))
        await page.locator('main h1').waitFor()
        const loading = page.locator('main [aria-busy="true"]:not([role="log"])')
        while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' })
        // The price of the next turn comes a moment after the view.
        if (view === 'thread') await page.locator('.price-line .chip').waitFor()
        if (view === 'run' || view === 'why') await page.locator('.guard').first().waitFor()
        if (view === 'job') await page.locator('.log-line').first().waitFor()
        const path = join(values.to, `${view.replaceAll('/', '') || 'home'}-${theme}-${width}.png`)
        await page.screenshot({ path })
      }
    }
    await context.close()
  }
} finally {
  await chromium.close()
  await store.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
}

/** Loads a font under a name that the style of the dashboard asks for. */
function fontScript(file: string): string {
  const bytes = readFileSync(file).toString('base64')
  return `new FontFace('JetBrains Mono', 'url(data:font/woff2;base64,${bytes})')
    .load().then(font => document.fonts.add(font))`
}

function viewsIn(theme: string): readonly string[] {
  const views = values.views.split(',').map(view => view.split(':'))
  return views.flatMap(([view = '', own = theme]) => (own === theme ? [view] : []))
}

/** The most telling thread, chain and job of the store. */
async function addressesOf(): Promise<Readonly<Record<string, string>>> {
  const threads = await store.reprise.threads.list({ limit: 200 })
  const longest = threads
    .filter(({ kind }) => kind === 'chat')
    .toSorted((a, b) => b.turnCount - a.turnCount)[0]
  const chains = await store.reprise.chains.list({ limit: 200 })
  const chain = chains.toSorted((a, b) => b.byTier.length - a.byTier.length)[0]
  const jobs = await store.reprise.jobs.list({ limit: 200 })
  const tried = await Promise.all(jobs.map(({ id }) => store.reprise.jobs.get(id)))
  const job = tried.toSorted((a, b) => b.attempts.length - a.attempts.length)[0]
  return {
    inbox: '/',
    threads: '/threads',
    thread: `/threads/${longest?.id}`,
    why: `/threads/${longest?.id}?run=${longest?.lastRun?.id}`,
    lineage: `/threads/${longest?.id}?tab=lineage`,
    runs: `/threads/${longest?.id}?tab=runs`,
    run: `/runs/${longest?.lastRun?.id}`,
    chains: '/chains',
    chain: `/chains/${chain?.id}`,
    'run-of-chain': `/runs/${chain?.runs.at(-1)?.id}`,
    'start-chain': '/chains?start=yes',
    jobs: '/jobs',
    job: `/jobs/${job?.id}`,
    'submit-job': '/jobs?submit=yes',
    live: '/live',
    savings: '/savings',
    sessions: '/sessions',
    agents: '/agents',
  }
}
