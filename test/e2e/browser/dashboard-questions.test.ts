// What only a person decides, in the dashboard of a real daemon: questions, permissions, and threads that came in a file. The page says before what is
// allowed, each of the four answers reaches the agent, and what an agent asks stays text.
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { forge, THEIR_KEY, THREAD, withList } from '../../thread-files/sample-file.ts'
import { eventually } from '../daemon/serve-world.ts'
import { useDaemonBrowser } from './daemon-browser.ts'
import { LOOKS } from './dashboard-page.ts'
import { attacksOn, KINDS, MARKUP } from './hostile-texts.ts'

const AXE = readFileSync(
  new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url),
  'utf8',
)
const PATIENCE = { timeout: 120_000 }
const NPM = 'Bash commands that are exactly `npm test`'
const EDIT = { file_path: '/srv/shop/a.ts', old_string: 'one\ntwo', new_string: 'one\n2' }

const at = useDaemonBrowser()

/** axe is no part of the page, so the policy of the page must not keep it out. */
const signIn = (scopes?: readonly string[]) => at.signIn(scopes, { bypassCSP: true })

const tool = (name: string, input: Readonly<Record<string, unknown>>) =>
  ({ type: 'tool', name, input, result: 'ok', asks: true }) as const

/** A turn that waits for its first permission. */
async function waiting(steps: readonly ReturnType<typeof tool>[]) {
  at.world.script([{ do: [...steps, { type: 'text', text: 'done' }] }])
  const thread = await at.reprise.threads.create({ workDir: at.world.workDir })
  const turn = thread.send('go', { questions: 'ask' })
  turn.result.catch(() => {})
  const { runId } = await turn.submitted
  await eventually(async () => (await at.reprise.runs.get(runId)).status === 'waiting')
  return { threadId: thread.id, runId }
}

/** What was answered, as far as it says who or why. */
async function answersOf(runId: string): Promise<readonly string[]> {
  const events = await at.reprise.runs.events(runId)
  return events.flatMap(event => {
    if (event.type !== 'answer' || event.answer === null) return []
    if (event.answer.kind === 'deny') return [`deny: ${event.answer.message}`]
    if (event.answer.kind !== 'allow') return []
    const { forRun } = event.answer
    return [forRun ? `${forRun.by}: ${forRun.rule.words}` : 'allow']
  })
}

const hasEnded = async (runId: string) => (await at.reprise.runs.get(runId)).endedAt !== null

test('T-7 the inbox says what "for this run" allows; a key allows it, and later calls of the rule do not wait', async () => {
  const npm = tool('Bash', { command: 'npm test', description: 'Run the tests' })
  const { runId } = await waiting([npm, npm, tool('Edit', EDIT)])
  const page = await signIn()
  const item = page.getByRole('article', { name: /^Permission/ })
  await item.getByText(`Allow for this run: ${NPM}`).waitFor(PATIENCE)
  await page.keyboard.press('Shift+A')
  await item.getByText('every change of the file `/srv/shop/a.ts`').waitFor(PATIENCE)
  expect(await item.locator('.diff-line.removed').textContent()).toContain('two')
  await item.getByRole('button', { name: 'Deny with a reason…' }).click()
  await page.getByLabel('A word for the agent').fill('Not this file.')
  await page.keyboard.press('Enter')
  await expect.poll(() => hasEnded(runId), PATIENCE).toBe(true)
  expect(await answersOf(runId)).toEqual([`user: ${NPM}`, `rule: ${NPM}`, 'deny: Not this file.'])
  await page.goto(`${at.daemon.url}/?tab=answered`)
  await page.getByText(`allowed for this run: ${NPM}`).waitFor(PATIENCE)
})

test('T-7 a permission is answered in its thread, with the same keys and buttons', async () => {
  const call = (sql: string) => tool('mcp__db__query', { sql, options: { limit: 3 } })
  const { runId, threadId } = await waiting([call('one'), call('two'), call('three')])
  const page = await signIn()
  await page.goto(`${at.daemon.url}/threads/${threadId}`)
  const asked = page.getByRole('region', { name: 'Permission: Use mcp__db__query' })
  await asked.getByText('options.limit: 3').waitFor(PATIENCE)
  expect(await violationsOf(page)).toEqual([])
  await asked.getByRole('button', { name: 'Allow for this run' }).click()
  await asked.getByText('sql: two').waitFor(PATIENCE)
  await page.keyboard.press('a')
  await asked.getByText('sql: three').waitFor(PATIENCE)
  await page.keyboard.press('d')
  await expect.poll(() => hasEnded(runId), PATIENCE).toBe(true)
  await asked.waitFor({ state: 'detached', ...PATIENCE })
  expect(await answersOf(runId)).toEqual([
    'user: mcp__db__query calls with exactly this input',
    'allow',
    'deny: The user did not allow this.',
  ])
})

test('S9 without the scope, buttons and keys say why, and nothing is answered', async () => {
  const { runId, threadId } = await waiting([tool('Bash', { command: 'npm test' })])
  const page = await signIn(['read'])
  const reason = /no scope "approve"/
  for (const path of ['/', `/threads/${threadId}`]) {
    await page.goto(at.daemon.url + path)
    for (const name of ['Allow once', 'Allow for this run', 'Deny', 'Deny with a reason…']) {
      const button = page.getByRole('button', { name, exact: true })
      await expect.poll(() => button.getAttribute('title'), PATIENCE).toMatch(reason)
      expect(await button.getAttribute('aria-disabled')).toBe('true')
    }
    await page.keyboard.press('Shift+A')
    await page.getByRole('status').getByText(reason).first().waitFor(PATIENCE)
  }
  expect((await at.reprise.runs.get(runId)).status).toBe('waiting')
  await at.reprise.runs.cancel(runId)
})

/** A thread file of somebody else; each title makes another one. */
const fileOf = (title: string) => forge(withList('thread', [{ ...THREAD, title }]))

async function arrived(title: string): Promise<string> {
  const { workDir } = at.world
  return (await at.reprise.threads.import(Readable.from([fileOf(title)]), { workDir })).threadId
}

const importOf = async (id: string) => (await (await at.reprise.threads.get(id)).show()).imported

test('S24 a thread of somebody else waits in the inbox: who signed it and what approval means is said, and a person approves it', async () => {
  const page = await signIn()
  const id = await arrived('Words of a stranger')
  const item = page.getByRole('article', { name: 'Imported thread: Words of a stranger' })
  await item.getByText('it is only data').waitFor(PATIENCE)
  await item.getByText('signed by a key that nobody here trusts').waitFor()
  await item.getByText(THEIR_KEY).waitFor()
  expect(await violationsOf(page)).toEqual([])
  await item.getByRole('link', { name: 'Read it' }).click()
  const note = page.getByRole('region', { name: 'Imported thread' })
  await note.getByText(THEIR_KEY).waitFor(PATIENCE)
  expect(await page.getByLabel('Next message').count()).toBe(0)
  expect(await violationsOf(page)).toEqual([])
  await note.getByRole('button', { name: 'Approve…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Let agents go on with this conversation?' })
  await dialog.getByText('may take what it says for instructions').waitFor()
  await dialog.getByRole('button', { name: 'Leave it as data' }).click()
  expect((await importOf(id))?.approvedAt).toBeNull()
  await page.keyboard.press('a')
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByLabel('Next message').waitFor(PATIENCE)
  await page.getByText('was approved').waitFor()
  expect((await importOf(id))?.approvedAt).not.toBeNull()
  await page.goto(at.daemon.url)
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await expect.poll(() => item.count(), PATIENCE).toBe(0)
})

test('V-3 S24 a thread file comes in through the dashboard, as data', async () => {
  const page = await signIn()
  await page.goto(`${at.daemon.url}/threads`)
  await page.getByRole('button', { name: 'Import…' }).click()
  const buffer = fileOf('Through the window')
  const file = { name: 'theirs.reprise', mimeType: 'application/octet-stream', buffer }
  await page.getByLabel('Thread file').setInputFiles(file)
  await page.getByLabel('Work dir').fill(at.world.workDir)
  expect(await violationsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'Through the window', level: 1 }).waitFor(PATIENCE)
  const id = page.url().split('/').at(-1) ?? ''
  expect(await importOf(id)).toMatchObject({ signature: 'foreign', approvedAt: null })
})

test('S9 S24 without the scope of a person, nobody approves a thread of somebody else', async () => {
  const id = await arrived('Not for everybody')
  const page = await signIn(['read'])
  await page.goto(`${at.daemon.url}/threads/${id}`)
  const button = page.getByRole('button', { name: 'Approve…' })
  await expect.poll(() => button.getAttribute('title'), PATIENCE).toMatch(/no scope "approve"/)
  await page.keyboard.press('a')
  await page
    .getByRole('status')
    .getByText(/no scope "approve"/)
    .first()
    .waitFor(PATIENCE)
  expect((await importOf(id))?.approvedAt).toBeNull()
})

/** In both themes and three widths: what axe finds, and what is wider than the window. */
async function violationsOf(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(AXE)
  const found: unknown[] = []
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const faults =
      await page.evaluate(`axe.run({ resultTypes: ['violations'], preload: false }).then(({ violations }) => [
      ...violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 200)),
      ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : []),
    ])`)
    found.push(...(faults as readonly unknown[]))
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  return found
}

/** An agent may ask four questions at a time. */
const QUESTIONS = [0, 1, 2, 3].map(number => ({
  question: `${MARKUP[number]}?`,
  header: MARKUP[number + 4] ?? '',
  options: MARKUP.slice(number * 3, number * 3 + 3).map((label, option) => ({
    label,
    description: `${number} ${KINDS.at(-1 - option)}`,
  })),
}))
const COMMAND = { command: `echo '${MARKUP[0]}'`, description: `${MARKUP[1]} in words` }

test('S26 hostile questions, options, descriptions, commands and rules stay text', async () => {
  const asks = { type: 'tool', name: 'Bash', input: COMMAND, result: 'ok', asks: true } as const
  at.world.script([
    { when: 'ask me', once: true, do: [{ type: 'ask', questions: QUESTIONS }] },
    { when: 'run it', do: [asks, { type: 'text', text: 'done' }] },
  ])
  const running: string[] = []
  for (const prompt of ['ask me', 'run it']) {
    const thread = await at.reprise.threads.create({ workDir: at.world.workDir })
    const turn = thread.send(prompt, { questions: 'ask' })
    turn.result.catch(() => {})
    const { runId } = await turn.submitted
    await eventually(async () => (await at.reprise.runs.get(runId)).status === 'waiting')
    running.push(thread.id)
  }
  const page = await at.signIn()
  const complaints: string[] = []
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    if (!request.url().startsWith(at.daemon.url)) complaints.push(request.url())
  })
  await page.goto(at.daemon.url)
  const question = page.getByRole('article', { name: /^Question/ })
  const permission = page.getByRole('article', { name: /^Permission/ })
  for (const { question: asked, options } of QUESTIONS) {
    await question.getByText(asked, { exact: true }).first().waitFor()
    for (const { label, description } of options) {
      await question.getByText(label, { exact: true }).first().waitFor()
      await question.getByText(description, { exact: true }).first().waitFor()
    }
  }
  for (const text of [
    COMMAND.description,
    `Bash commands that are exactly \`${COMMAND.command}\``,
  ]) {
    await permission.getByText(text).first().waitFor()
  }
  expect(await attacksOn(page)).toEqual({ attacked: undefined, foreign: 0 })

  // Answered, they are shown once more.
  for (const { options } of QUESTIONS) {
    await question
      .getByText(options[0]?.label ?? '', { exact: true })
      .first()
      .click()
  }
  await question.getByRole('button', { name: 'Answer', exact: true }).click()
  await permission.getByRole('button', { name: 'Allow once' }).click()
  await page.goto(`${at.daemon.url}/?tab=answered`)
  await expect.poll(() => page.locator('main').textContent()).toContain(MARKUP[0])
  for (const id of running) {
    await page.goto(`${at.daemon.url}/threads/${id}`)
    await page.locator('.turn').first().waitFor()
  }
  expect(await attacksOn(page)).toEqual({ attacked: undefined, foreign: 0 })
  expect(complaints).toEqual([])
})
