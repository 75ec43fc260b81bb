import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ThreadSummary } from '../../../src/core/conversation/thread.ts'
import { layoutLineage } from '../../../web/pictures/lineage.ts'
import { type DashboardWorld, dashboardWorld } from './dashboard-page.ts'
import { testsOfWork } from './tests-of-work.ts'

let world: DashboardWorld
let quiet: ThreadSummary
let other: ThreadSummary

beforeAll(async () => {
  world = await dashboardWorld()
  const threads = await world.store.reprise.threads.list({ limit: 200 })
  const done = threads.filter(
    ({ kind, lastRun, turnCount }) =>
      kind === 'chat' && lastRun?.status === 'completed' && turnCount >= 2,
  )
  const [first, second] = done
  if (!first || !second) throw new Error('the full store has no two threads with two turns')
  quiet = first
  other = second
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

test('M-4 what the turn gets of the conversation can be chosen for it; the price follows, and the turn gets just that', async () => {
  const { page } = world
  const before = (await show(quiet.id)).runs.length
  await world.open(`/threads/${quiet.id}`)
  await page.locator('.price-line .chip').waitFor()
  const choice = page.getByLabel('Conversation', { exact: true })
  await choice.selectOption('note')
  await page.locator('.price-line .chip.handover').waitFor()
  await page.getByLabel('Next message').fill('Go on from a note')
  await page.getByRole('button', { name: 'Send' }).click()
  const run = await ended(quiet.id, before + 1)
  expect(run.decision).toMatchObject({ action: 'handover', carry: { way: 'note' } })
  // It was for this turn alone.
  expect(await choice.inputValue()).toBe('')
})

test('M-4 a way of the conversation that the agent cannot go is disabled and says why', async () => {
  const { page } = world
  const asked = (able: boolean) =>
    page.route('**/api/agents', async route => {
      const { items, ...rest } = await (await route.fetch()).json()
      const changed = items.map((agent: object) => ({ ...agent, writesSessions: able }))
      await route.fulfill({ json: { ...rest, items: changed } })
    })
  const disabled = () =>
    page
      .getByLabel('Conversation', { exact: true })
      .locator('option:disabled')
      .evaluateAll(options => options.map(option => option.textContent))
  await asked(true)
  await world.open(`/threads/${quiet.id}`)
  await expect.poll(disabled).toEqual([])
  // The page may just be asking once more.
  await page.unrouteAll({ behavior: 'wait' })
  await asked(false)
  await world.open(`/threads/${quiet.id}`)
  const why = 'Reprise cannot write sessions for this agent or this version of it'
  await expect.poll(disabled).toEqual([`trimmed: ${why}`, `auto: ${why}`])
  // The page may just be asking once more.
  await page.unrouteAll({ behavior: 'wait' })
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

test('T-4 an edit of the last prompt shows a fork before it is sent, and the agent gets just that', async () => {
  const { page } = world
  const thread = await show(other.id)
  const [before, prompts] = [thread.runs.length, thread.messages.filter(one => one.role === 'user')]
  const [first, last] = [prompts[0], prompts.at(-1)]
  if (!first || !last) throw new Error('the thread has no prompts')
  await world.open(`/threads/${other.id}`)
  await page.locator('.turn').last().getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Edit the prompt').fill('Ask this instead')
  const preview = page.locator('.edit-preview')
  await preview.locator('.edit-words .chip.fork').waitFor()
  await preview.locator('.estimates tbody tr').first().getByText('fork').waitFor()
  const shown = await preview.locator('.edit-words').textContent()
  const asked = { retry: last.id, prompt: 'Ask this instead' }
  const previewed = await (await world.store.reprise.threads.get(other.id)).preview(asked)
  expect(shown).toContain(previewed.words)
  await page.getByLabel('Edit the prompt').press('Control+Enter')
  const run = await ended(other.id, before + 1)
  if (previewed.decision.action !== 'fork' || run.decision?.action !== 'fork') {
    throw new Error(`${previewed.decision.action} was shown, ${run.decision?.action} was done`)
  }
  const { session, at, catchUpFrom } = previewed.decision
  expect(run.decision).toMatchObject({ session, at, catchUpFrom })
  expect(run.sessionId).not.toBe(session.sessionId)
  const given = await world.store.reprise.runs.prompt(run.id)
  expect(given.arguments).toEqual(
    expect.arrayContaining(['--resume', session.sessionId, '--fork-session']),
  )
  // What the session has seen is not sent again.
  expect(given.text).toContain('Ask this instead')
  expect(given.text).not.toContain(first.text)
  expect(given.text).not.toContain(last.text)
  await page.locator('.turn').last().locator('.chip.fork').waitFor()
})

test('a turn is cut off and brought back by Undo, forked into a thread of its own, and asked again', async () => {
  const { page } = world
  const texts = async (id: string) => (await show(id)).messages.map(({ text }) => text)
  const before = await texts(quiet.id)
  await world.open(`/threads/${quiet.id}`)
  const last = page.locator('.turn').last()
  await last.getByText(before.at(-2) ?? '').waitFor()
  const turns = await page.locator('.turn').count()
  await last.getByRole('button', { name: 'Cut off' }).click()
  await expect.poll(async () => (await texts(quiet.id)).length).toBeLessThan(before.length)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => texts(quiet.id)).toEqual(before)
  await expect.poll(() => page.locator('.turn').count()).toBe(turns)

  await last.getByRole('button', { name: 'Fork here' }).click()
  await page.waitForURL(url => !url.pathname.endsWith(quiet.id))
  const fork = page.url().split('/').at(-1) ?? ''
  expect(await texts(fork)).toEqual(before)

  await page.locator('.turn').last().getByRole('button', { name: 'Retry' }).click()
  const run = await ended(fork, 1)
  expect(run.status).toBe('completed')
  expect((await texts(fork)).at(-2)).toBe(before.at(-2))
})

test('an edit is saved without being sent; nothing runs, and the message keeps its first version', async () => {
  const { page } = world
  const { runs, messages } = await show(other.id)
  await world.open(`/threads/${other.id}`)
  await page.locator('.turn').first().getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Edit the prompt').fill('Saved for later')
  await page.getByRole('button', { name: 'Save only' }).click()
  const first = async () => (await show(other.id)).messages[0]
  await expect.poll(async () => (await first())?.text).toBe('Saved for later')
  expect((await first())?.versions?.count).toBe((messages[0]?.versions?.count ?? 1) + 1)
  expect((await show(other.id)).runs).toHaveLength(runs.length)
  await page.getByRole('button', { name: 'Previous version' }).first().click()
  await expect.poll(async () => (await show(other.id)).messages).toHaveLength(messages.length)
})

test('a thread is made by the form, with a work dir of the latest ones, a title and its first message', async () => {
  const { page } = world
  await world.open('/threads')
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  const known = dialog.locator(`datalist option[value="${quiet.workDir}"]`)
  await known.waitFor({ state: 'attached' })
  await dialog.getByLabel(/Work dir/).fill(quiet.workDir)
  await dialog.getByLabel('Title').fill('By the form')
  await dialog.getByLabel('First message').fill('Hello from the form')
  await dialog.getByRole('button', { name: 'Create and send' }).click()
  await page.getByRole('heading', { name: 'By the form', level: 1 }).waitFor()
  const run = await ended(new URL(page.url()).pathname.split('/').at(-1) ?? '', 1)
  expect([run.status, run.workDir]).toEqual(['completed', quiet.workDir])
})

test('another agent takes over, as the price line says before', async () => {
  const { page } = world
  const before = (await show(other.id)).runs.length
  await world.open(`/threads/${other.id}`)
  await page.locator('.price-line .chip').waitFor()
  await page.getByLabel('Agent', { exact: true }).selectOption('reviewer')
  await page.locator('.price-line .chip.replay').waitFor()
  await page.getByLabel('Next message').fill('What would you do?')
  await page.getByRole('button', { name: 'Send' }).click()
  const run = await ended(other.id, before + 1)
  expect([run.agent, run.decision?.action]).toEqual(['reviewer', 'replay'])
})

test('a message that is not sent yet stays with its thread: it neither moves to another one nor is lost', async () => {
  const { page } = world
  const field = page.getByLabel('Next message')
  const jumpTo = async (id: string) => {
    await page.getByRole('button', { name: /^Jump to/ }).click()
    await page.getByRole('combobox', { name: 'A place, an id or words' }).fill(id)
    await page.getByRole('option', { name: 'by its id' }).click()
    await page.locator(`[title="Copy ${id}"]`).waitFor()
  }
  await world.open(`/threads/${other.id}`)
  await jumpTo(quiet.id)
  await field.fill('Only for this thread')
  await jumpTo(other.id)
  await expect.poll(() => field.inputValue()).toBe('')
  await jumpTo(quiet.id)
  await expect.poll(() => field.inputValue()).toBe('Only for this thread')
  await field.fill('')
})

test('the title of a thread is changed in place, by keys too', async () => {
  const { page } = world
  await world.open(`/threads/${other.id}`)
  await page.getByRole('button', { name: 'Rename' }).click()
  const field = page.getByLabel('Title')
  await field.fill('Something else')
  await field.press('Escape')
  expect(await page.locator('main h1').textContent()).toBe(other.title)
  await page.getByRole('button', { name: 'Rename' }).press('Enter')
  await field.fill('A name of its own')
  await field.press('Enter')
  await page.getByRole('heading', { name: 'A name of its own', level: 1 }).waitFor()
  await field.waitFor({ state: 'detached' })
  expect((await show(other.id)).title).toBe('A name of its own')
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

test('the events of a run have the width of the page', async () => {
  const { page } = world
  await world.open(`/runs/${quiet.lastRun?.id}?part=events`)
  const box = await page.locator('.event-text').first().boundingBox()
  expect(box?.width).toBeGreaterThan(400)
})

test('the lineage marks each run on the line of its session, and says what proves the session', async () => {
  const { page } = world
  const { sessions, runs } = await show(other.id)
  await world.open(`/threads/${other.id}?tab=lineage`)
  const lines = layoutLineage(sessions, runs).rows.filter(({ points }) => points.length > 0)
  expect(await page.locator('.lineage-line').count()).toBe(lines.length)
  expect(await page.locator('.lineage-point').count()).toBe(
    lines.flatMap(({ points }) => points).length,
  )
  const facts = await page.locator('.lineage-facts tbody tr').allTextContents()
  expect(facts).toHaveLength(sessions.length)
  expect(facts[0]).toContain('its own file holds what it was sent')
})

test('on a phone the places have names, and More leads to the others', async () => {
  const { page } = world
  await page.setViewportSize({ width: 375, height: 800 })
  await world.open('/threads')
  const names = await page.locator('.rail nav .label:visible').allTextContents()
  expect(names).toEqual(['Inbox', 'Threads', 'Chains', 'Jobs', 'Live', 'Savings', 'More'])
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('option', { name: 'Sign out' }).waitFor()
  await page.getByRole('option', { name: 'Agents' }).click()
  await page.waitForURL(/\/agents$/)
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('agents that are not installed have one sentence together, and each the command that installs it', async () => {
  const { page } = world
  await world.open('/agents')
  const others = page.getByRole('region', { name: 'Other agents' })
  const missing = (await world.store.reprise.agents()).filter(one => one.install !== null)
  expect(missing.length).toBeGreaterThan(3)
  const commands = await others.locator('dd').allTextContents()
  expect(commands).toEqual(missing.map(({ install }) => install))
  expect(await others.locator('p').allTextContents()).toHaveLength(1)
})

test('J-8 the workers of several machines are listed with state, load and labels, without faults that axe knows', async () => {
  const { page } = world
  const [own] = await world.store.reprise.workers()
  if (!own) throw new Error('the full store has no worker')
  const items = [
    { ...own, host: 'build-1', active: 2 },
    { ...own, id: 'w2', host: 'gpu-7.example.org', labels: ['gpu', 'big'], state: 'draining' },
    {
      ...own,
      id: 'w3',
      host: 'build-2',
      state: 'gone',
      sharedRoots: ['/srv/shared', '/home/team'],
    },
  ]
  await page.route('**/api/workers*', route => route.fulfill({ json: { items, nextCursor: null } }))
  const faults = await world.faultsOf('/agents', () =>
    page.getByText('gpu-7.example.org').waitFor(),
  )
  const rows = page.getByRole('region', { name: 'Workers' }).locator('tbody tr')
  const shown = (await rows.allTextContents()).map(text => text.replace(/\s+/g, ' '))
  await page.unrouteAll({ behavior: 'wait' })
  expect(shown).toEqual([
    expect.stringMatching(/^build-1 .*working.*2 of/),
    expect.stringMatching(/^gpu-7.example.org .*draining.*gpu, big/),
    expect.stringMatching(/^build-2 .*gone.*\/srv\/shared, \/home\/team/),
  ])
  expect(faults).toEqual([])
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

testsOfWork(() => world)
