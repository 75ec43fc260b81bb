// Acts of the dashboard that change or end something, each done once in a browser and looked up through the API.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isBrokenOff } from '../../../src/core/chain/supervise.ts'
import { type DashboardWorld, dashboardWorld } from './dashboard-page.ts'
import { testsByKeyboard } from './tests-by-keyboard.ts'

let world: DashboardWorld

beforeAll(async () => {
  world = await dashboardWorld()
})
afterAll(() => world.close())

// First: they answer some of what waits, and leave enough of it.
testsByKeyboard(() => world)

const PATIENCE = { timeout: 120_000 }

function known<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the full store has no ${what}`)
  return value
}

/** Presses the button of the view, then the one of the dialog. */
async function confirm(button: RegExp, verb: string): Promise<void> {
  const { page } = world
  await page.getByRole('button', { name: button }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: verb }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('E-7 U-5 from each run of a chain the whole chain is in sight: tiers, models, costs and the total', async () => {
  const { page, store } = world
  const chains = await store.reprise.chains.list({ limit: 200 })
  const chain = known(
    // Another chain may work in its third tier now: a test before this one has approved it.
    chains.find(({ byTier, status }) => byTier.length === 3 && status === 'resolved'),
    'resolved chain of three tiers',
  )
  for (const { id, tier } of chain.runs) {
    await world.open(`/runs/${id}`)
    const strip = page.getByRole('navigation', { name: 'The chain of this run' })
    await strip.waitFor()
    const tiers = await strip.locator('li').allTextContents()
    expect(tiers).toHaveLength(3)
    for (const [index, { name, model, costUsd }] of chain.byTier.entries()) {
      const shown = [`${index + 1} ${name}`, model ?? '', `$${costUsd?.toFixed(2)}`]
      for (const text of shown) expect(tiers[index]).toContain(text)
    }
    await strip.getByText(`= $${chain.totals.costUsd?.toFixed(2)}`).waitFor()
    expect(await strip.locator('[aria-current="step"]').textContent()).toContain(`${tier} `)
  }
  await page.getByRole('navigation', { name: 'The chain of this run' }).getByText('Chain').click()
  await page.waitForURL(new RegExp(`/chains/${chain.id}$`))
})

test('U-5 the title of a held chain and what its next tier costs can be read at every width', async () => {
  const { page, store } = world
  const { id } = known((await store.reprise.chains.list({ status: 'held' }))[0], 'held chain')
  for (const width of [1440, 1024, 768, 375]) {
    await page.setViewportSize({ width, height: 900 })
    await world.open('/')
    const way = page.locator('.estimates tbody td:first-child').first()
    expect((await way.boundingBox())?.width, `a way at ${width}`).toBeGreaterThan(90)
    await world.open(`/chains/${id}`)
    const title = page.getByRole('heading', { level: 1 })
    expect((await title.boundingBox())?.width, `the title at ${width}`).toBeGreaterThan(150)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('Live says what a run has cost so far and what happened before; under the pointer it stands still', async () => {
  const { page, store } = world
  const [run] = await store.reprise.runs.list({ status: 'running' })
  const { id } = known(run, 'running run')
  const { costUsd } = await store.reprise.runs.work(id)
  expect(costUsd).toBeGreaterThan(0)
  await world.open('/live')
  const row = page.locator('tr').filter({ has: page.locator(`a[href="/runs/${id}"]`) })
  await row
    .locator('.live-cost')
    .getByText(`$${costUsd?.toFixed(4)}`)
    .waitFor(PATIENCE)
  await row.getByText(/^last event .+ ago$/).waitFor()
  const feed = page.getByRole('region', { name: 'Events' })
  await feed.locator('.event-line').first().waitFor(PATIENCE)
  await feed.hover()
  await feed.getByText('Paused while the pointer is here').waitFor()
  const answer = page.getByRole('link', { name: 'Answer' }).last()
  const asking = (await answer.getAttribute('href'))?.split('=')[1] ?? ''
  await answer.click()
  // The item of that run is the one that the keys answer.
  const focused = page.locator('article.focused')
  await focused.locator(`a[href="/runs/${asking}"]`).waitFor(PATIENCE)
})

test('J-8 a job says who works on it and what follows; what cannot be done now says why', async () => {
  const { page, store } = world
  const running = await store.reprise.jobs.list({ status: 'running' })
  const jobs = await Promise.all(running.map(({ id }) => store.reprise.jobs.get(id)))
  const job = known(
    jobs.find(({ checkpoints }) => checkpoints.length > 1),
    'running job with checkpoints',
  )
  const attempt = known(job.attempts.at(-1), 'attempt')
  const { worker, lease } = await store.reprise.runs.work(attempt.id)
  await world.open(`/jobs/${job.id}`)
  const shown = page.locator('.attempt').last()
  await shown.getByText(`worker ${worker.host}, ${worker.pid}`).waitFor(PATIENCE)
  await shown.getByText(`lease ${lease?.token}`).waitFor()
  await shown.getByText(/^ends at \d\d:\d\d at the latest$/).waitFor()
  await page.getByText(/^If this attempt fails, /).waitFor()
  const restore = page.getByRole('button', { name: /^Restore…/ }).first()
  expect(await restore.getAttribute('aria-disabled')).toBe('true')
  await restore.click({ force: true })
  await page
    .getByRole('status')
    .getByText(/^An attempt is running/)
    .waitFor()

  const [waiting] = await store.reprise.jobs.list({ status: 'waiting' })
  const { id } = known(waiting, 'waiting job')
  const before = (await store.reprise.jobs.get(id)).attempts.length
  await world.open(`/jobs/${id}`)
  await page.getByText(/^The next attempt begins in \d/).waitFor()
  await page.getByRole('button', { name: 'Retry now' }).click()
  const attempts = async () => (await store.reprise.jobs.get(id)).attempts.length
  await expect.poll(attempts, PATIENCE).toBeGreaterThan(before)
})

test('a session names its thread, its chain or its job, and leads to the lineage', async () => {
  const { page, store } = world
  const [job] = await store.reprise.jobs.list({ status: 'running' })
  const { threadId, prompt } = known(job, 'running job')
  await world.open('/sessions')
  const named = page.getByRole('link', { name: prompt }).first()
  expect(await named.getAttribute('href')).toBe(`/threads/${threadId}?tab=lineage`)
})

test('an archived session is taken back by Undo', async () => {
  const { page, store } = world
  await world.open('/sessions')
  // The oldest session: nobody works in it.
  const row = page.locator('tbody tr').last()
  const sessionId = (await row.locator('.copy, button').first().textContent()) ?? ''
  const stateOf = async () =>
    (await store.reprise.sessions.list({ limit: 200 })).find(one =>
      one.sessionId.startsWith(sessionId.trim()),
    )?.state
  const before = await stateOf()
  expect(before).not.toBe('archived')
  await row.getByRole('button', { name: 'Archive' }).click()
  await expect.poll(stateOf, PATIENCE).toBe('archived')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(stateOf, PATIENCE).not.toBe('archived')
})

test('J-6 a running job is cancelled, a checkpoint of it is restored, and the job is removed', async () => {
  const { page, store } = world
  const running = await store.reprise.jobs.list({ status: 'running' })
  const jobs = await Promise.all(running.map(({ id }) => store.reprise.jobs.get(id)))
  const { id } = known(
    jobs.find(({ checkpoints }) => checkpoints.length > 1),
    'running job with checkpoints',
  )
  await world.open(`/jobs/${id}`)
  await page.keyboard.press('c')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click()
  const statusOf = async () => (await store.reprise.jobs.get(id)).status
  await expect.poll(statusOf, PATIENCE).toBe('cancelled')
  await page.locator('.view-bar').getByText('cancelled').waitFor(PATIENCE)

  await confirm(/^Restore…/, 'Restore files and thread')
  await page.getByText('The work dir is as it was at checkpoint 1.').waitFor(PATIENCE)
  const kinds = async () => (await store.reprise.jobs.get(id)).checkpoints.map(one => one.kind)
  await expect.poll(kinds, PATIENCE).toContain('safety')
  await page.getByText('before files were restored').first().waitFor(PATIENCE)

  await confirm(/^Remove…/, 'Remove job')
  await page.waitForURL(/\/jobs$/)
  await expect(store.reprise.jobs.get(id)).rejects.toMatchObject({ code: 'not-found' })
})

test('a broken-off chain is dismissed, shown again by Undo, and stays dismissed over a reload', async () => {
  const { page } = world
  await world.open('/')
  const items = page.getByRole('article', { name: /^Chain broken off/ })
  await items.first().waitFor()
  const before = await items.count()
  const count = () => items.count()
  await items.first().getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(count, PATIENCE).toBe(before - 1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(count, PATIENCE).toBe(before)
  await items.first().getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(count, PATIENCE).toBe(before - 1)
  await world.open('/')
  await page.locator('article.inbox-item').first().waitFor()
  expect(await count()).toBe(before - 1)
  // The title of the tab counts what is shown.
  const shown = await page.locator('article.inbox-item').count()
  await expect.poll(() => page.title(), PATIENCE).toBe(`(${shown}) Inbox · Reprise`)
  await page.getByRole('button', { name: 'Show them again' }).click()
  await expect.poll(count, PATIENCE).toBe(before)
})

test('filters are saved under a name, opened again, and removed', async () => {
  const { page } = world
  await world.open('/jobs?status=completed')
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByLabel('Name of the view').fill('Done')
  await page.keyboard.press('Enter')
  await world.open('/jobs')
  const views = page.getByRole('navigation', { name: 'Saved views' })
  await views.getByRole('link', { name: 'Done' }).click()
  await page.waitForURL(/\/jobs\?status=completed$/)
  expect(await views.getByRole('link', { name: 'Done' }).getAttribute('aria-current')).toBe('page')
  await views.getByRole('button', { name: 'Remove the view Done' }).click()
  await views.getByRole('link').waitFor({ state: 'detached' })
})

test('E-9 a broken-off chain is continued, a held one is cancelled', async () => {
  const { page, store } = world
  const failed = await store.reprise.chains.list({ status: 'failed', limit: 200 })
  const broken = known(failed.find(isBrokenOff), 'broken-off chain')
  await world.open(`/chains/${broken.id}`)
  await confirm(/^Continue tier/, `Continue tier ${broken.because.tier}`)
  const runsOf = async () => (await store.reprise.chains.get(broken.id)).runs.length
  await expect.poll(runsOf, PATIENCE).toBeGreaterThan(broken.runs.length)

  // Nothing of it runs, so only its status can say that it is over.
  const held = known((await store.reprise.chains.list({ status: 'held' }))[0], 'held chain')
  await world.open(`/chains/${held.id}`)
  await confirm(/^Cancel/, 'Cancel chain')
  const statusOf = async () => (await store.reprise.chains.get(held.id)).status
  await expect.poll(statusOf, PATIENCE).toBe('cancelled')
  await page.locator('.view-bar').getByText('cancelled').waitFor(PATIENCE)
})

test('T-10 a run is stopped on Live; it leaves the list and its page says so', async () => {
  const { page, store } = world
  const running = await store.reprise.runs.list({ status: 'running' })
  // The turn of a thread does not end by itself; the run of a chain that was just continued does.
  const run = known(
    running.find(({ jobId, chainId }) => jobId === null && chainId === null),
    'running turn',
  )
  // The list stands still while the pointer is over it, and an earlier test may have left it there.
  await page.mouse.move(0, 0)
  await world.open('/live')
  const row = page.locator('tr').filter({ has: page.locator(`a[href="/runs/${run.id}"]`) })
  await row.getByRole('button', { name: /^Stop/ }).click()
  const statusOf = async () => (await store.reprise.runs.get(run.id)).status
  await expect.poll(statusOf, PATIENCE).toBe('cancelled')
  // The list stands still while the pointer is over it.
  await page.mouse.move(0, 0)
  await row.waitFor({ state: 'detached', ...PATIENCE })
  await world.open(`/runs/${run.id}`)
  await page.locator('.view-bar').getByText('cancelled').waitFor()
})

test('notifications are off until somebody presses the button; only then the browser is asked', async () => {
  const { page } = world
  await page.addInitScript(() => {
    const asked = { times: 0 }
    const Notification = {
      permission: 'default',
      requestPermission: async () => {
        asked.times += 1
        Notification.permission = 'granted'
        return Notification.permission
      },
    }
    Object.assign(globalThis, { Notification, asked })
  })
  await world.open('/')
  const times = () => page.evaluate('asked.times')
  const button = page.getByRole('button', { name: /Notif/ })
  expect(await button.textContent()).toBe('Notify me')
  await page.locator('article.inbox-item').first().waitFor()
  expect(await times()).toBe(0)
  await button.click()
  await expect.poll(() => button.textContent()).toBe('Notifications on')
  expect(await times()).toBe(1)
  await button.click()
  await expect.poll(() => button.textContent()).toBe('Notify me')
  expect(await times()).toBe(1)
})

test('a toast stays while the pointer is on it, and goes by itself afterwards', async () => {
  const { page } = world
  await page.clock.install()
  await world.open('/sessions')
  // The oldest session: nobody works in it.
  await page.getByRole('button', { name: 'Archive' }).last().click()
  const said = page.locator('.toast')
  await said.waitFor(PATIENCE)
  await said.hover()
  await page.clock.runFor(30_000)
  expect(await said.count()).toBe(1)
  await page.mouse.move(0, 0)
  await page.clock.runFor(7_000)
  await said.waitFor({ state: 'detached' })
})

test('nothing went wrong in the console of the page', () => {
  // The page of the removed job may have asked for it once more.
  expect(world.complaints.filter(one => !one.includes('404'))).toEqual([])
})
