import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ThreadSummary } from '../../src/core/conversation/thread.ts'
import { type DashboardWorld, dashboardWorld } from './dashboard-page.ts'

let world: DashboardWorld
let quiet: ThreadSummary

beforeAll(async () => {
  world = await dashboardWorld()
  const threads = await world.store.reprise.threads.list({ limit: 200 })
  const done = threads.filter(
    ({ kind, lastRun, turnCount }) =>
      kind === 'chat' && lastRun?.status === 'completed' && turnCount >= 2,
  )
  const [first] = done
  if (!first) throw new Error('the full store has no thread with two turns')
  quiet = first
})
afterAll(() => world.close())

const show = async (id: string) => (await world.store.reprise.threads.get(id)).show()

/** The last run of the thread, once it has ended with so many runs. */
async function ended(id: string, runs: number) {
  const deadline = Date.now() + 60_000
  for (;;) {
    const thread = await show(id)
    const last = thread.runs.toSorted((a, b) => a.queuedAt - b.queuedAt).at(-1)
    if (thread.runs.length >= runs && last?.endedAt) return last
    if (Date.now() > deadline) throw new Error(`run ${runs} of ${id} did not end`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

test('each view opens from a cold address, without an error and with nothing loaded from elsewhere', async () => {
  const run = quiet.lastRun?.id
  const views = [
    ['/', 'Inbox'],
    ['/threads', 'Threads'],
    [`/threads/${quiet.id}`, quiet.title ?? quiet.id],
    [`/threads/${quiet.id}?tab=lineage`, quiet.title ?? quiet.id],
    [`/threads/${quiet.id}?tab=runs&run=${run}`, quiet.title ?? quiet.id],
    [`/runs/${run}`, 'Run'],
    ['/savings', 'Savings'],
    ['/sessions', 'Sessions'],
    ['/agents', 'Agents'],
  ] as const
  for (const [address, title] of views) {
    await world.open(address)
    expect(await world.page.locator('main h1').textContent()).toBe(title)
  }
  await world.page.goto(`${world.store.url}/nowhere`)
  expect(await world.page.textContent('h1')).toBe('There is nothing at this address')
  expect(world.complaints.filter(one => !one.includes('404'))).toEqual([])
})

test('T-3 the next turn resumes; with the fresh toggle it is a replay, as the price line says before', async () => {
  const { page } = world
  const before = (await show(quiet.id)).runs.length
  await world.open(`/threads/${quiet.id}`)
  await page.locator('.price-line .chip.resume').waitFor()
  await page.getByLabel('Fresh session').check()
  await page.locator('.price-line .chip.replay').waitFor()
  await page.getByLabel('Next message').fill('Once more, from the beginning')
  await page.getByRole('button', { name: 'Send' }).click()
  const run = await ended(quiet.id, before + 1)
  expect([run.decision?.action, run.freshSession]).toEqual(['replay', true])
  const given = await world.store.reprise.runs.prompt(run.id)
  expect(given.text).toContain('Once more, from the beginning')
  await page
    .locator('.turn')
    .filter({ hasText: 'Once more, from the beginning' })
    .locator('.chip.replay')
    .waitFor()
})

test('an edit shows the decision and its price before it is sent, and the agent gets what was shown', async () => {
  const { page } = world
  const thread = await show(quiet.id)
  const before = thread.runs.length
  await world.open(`/threads/${quiet.id}`)
  const first = page.locator('.turn').first()
  await first.getByRole('button', { name: 'Edit' }).click()
  const field = page.getByLabel('Edit the prompt')
  await field.fill('Start differently')
  const preview = page.locator('.edit-preview')
  await preview.locator('.estimates').waitFor()
  const shown = await preview.locator('.edit-words .chip').textContent()
  await field.press('Control+Enter')
  const run = await ended(quiet.id, before + 1)
  expect(run.decision?.action).toBe(shown)
  const after = await show(quiet.id)
  expect(after.messages[0]?.text).toBe('Start differently')
  // The message as it was is a version that one can go back to.
  await page.getByRole('button', { name: 'Previous version' }).first().click()
  await page
    .locator('.turn-prompt')
    .filter({ hasText: thread.messages[0]?.text ?? '' })
    .first()
    .waitFor()
  expect((await show(quiet.id)).messages).toHaveLength(thread.messages.length)
})

test('the pane says why: each guard with what it saw', async () => {
  const { page } = world
  await world.open(`/threads/${quiet.id}`)
  await page.keyboard.press('w')
  const pane = page.getByRole('complementary', { name: 'The run' })
  await pane.getByText(/guards/).waitFor()
  const guards = await pane.locator('.guard').count()
  expect(guards).toBeGreaterThan(1)
  await page.keyboard.press('Escape')
  await pane.waitFor({ state: 'detached' })
})

test('views have no faults that axe knows, in both themes and three widths', async () => {
  const faults: string[] = []
  for (const address of [
    '/threads',
    `/threads/${quiet.id}`,
    `/threads/${quiet.id}?tab=lineage`,
    `/threads/${quiet.id}?run=${quiet.lastRun?.id}`,
    `/runs/${quiet.lastRun?.id}`,
    '/savings',
    '/sessions',
    '/agents',
  ]) {
    faults.push(...(await world.faultsOf(address)))
  }
  expect(faults).toEqual([])
})
