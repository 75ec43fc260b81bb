// The dashboard of a real daemon that is killed, restarted, and shared by tabs and the command line.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Run } from '../../../src/core/run/run.ts'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { type NetworkSwitch, openProxy } from '../daemon/proxy.ts'
import { appears, eventually } from '../daemon/serve-world.ts'
import { useDaemonBrowser } from './daemon-browser.ts'

const at = useDaemonBrowser()
const PATIENCE = { timeout: 120_000 }

/** Two tabs of one browser behind a proxy: while it is cut, they have no network. */
async function tabsBehindProxy(): Promise<{
  readonly tabs: readonly [Page, Page]
  readonly proxy: NetworkSwitch
}> {
  const proxy = await openProxy()
  const context = await at.newContext({ proxy: { server: proxy.url } })
  const first = await context.newPage()
  await first.goto(await at.loginUrl())
  await first.getByRole('heading', { name: 'Inbox' }).waitFor()
  return { tabs: [first, await context.newPage()], proxy }
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(at.daemon.url + path)
  await page.locator('main h1').waitFor()
}

/** Kills the daemon and starts it on the same store and port. A sign-in ends with its at.daemon. */
async function killAndRestart(page: Page): Promise<void> {
  at.daemon.signal('SIGKILL')
  await at.daemon.end
  await page.getByText('Reconnecting. What you see is from').waitFor(PATIENCE)
  at.daemon = await at.world.serve(['--port', String(at.daemon.port)])
  await page.getByText('You are signed out').waitFor(PATIENCE)
  // Another tab of the browser signs in; the first one goes on by itself.
  const other = await page.context().newPage()
  await other.goto(await at.loginUrl())
  await other.getByRole('heading', { name: 'Inbox' }).waitFor()
  await other.close()
  await page.getByText('You are signed out').waitFor({ state: 'detached', ...PATIENCE })
}

async function newThread(script: FakeScript, prompt: string): Promise<string> {
  at.world.script(script)
  const thread = await at.reprise.threads.create({ workDir: at.world.workDir })
  const turn = thread.send(prompt, { questions: 'ask' })
  turn.result.catch(() => {})
  for await (const event of turn) if (event.type !== 'queued') break
  return thread.id
}

const runsOf = async (threadId: string): Promise<readonly Run[]> =>
  (await (await at.reprise.threads.get(threadId)).show()).runs

const WHICH = { question: 'Which database?', options: [{ label: 'Postgres' }, { label: 'SQLite' }] }

test('T-7 a question and a permission are answered in the browser after kill -9 of the daemon', async () => {
  const file = at.world.path('allowed')
  const call = { type: 'tool', name: 'Bash', input: { command: 'echo hi' }, asks: true } as const
  const appends = { file, line: 'once' }
  const write = [
    { ...call, result: 'hi', appends },
    { type: 'text', text: 'written' },
  ] as const
  const script: FakeScript = [
    { when: 'set it up', once: true, do: [{ type: 'ask', questions: [WHICH] }] },
    { when: 'write it', do: write },
    { when: 'do it now', do: write },
  ]
  const page = await at.signIn()
  const asking = await newThread(script, 'set it up')
  const writing = await newThread(script, 'write it')
  const question = page.getByRole('article', { name: 'Question: Which database?' })
  const permission = page.getByRole('article', { name: /^Permission/ })
  await question.waitFor(PATIENCE)
  await permission.waitFor(PATIENCE)
  // What a person has begun to write is still there after the next sign-in.
  await question.getByLabel(/in your own words/).fill('neither')

  await killAndRestart(page)
  expect(await question.getByLabel(/in your own words/).inputValue()).toBe('neither')
  await permission.getByText('expires').first().waitFor(PATIENCE)
  await question.getByRole('button', { name: 'Postgres' }).click()
  await question.waitFor({ state: 'detached', ...PATIENCE })
  await permission.getByRole('button', { name: 'Allow once' }).click()
  await permission.waitFor({ state: 'detached', ...PATIENCE })

  const last = async (threadId: string) => {
    const run = (await runsOf(threadId)).toSorted((a, b) => a.queuedAt - b.queuedAt).at(-1)
    return [run?.status, run?.parentRunId !== null]
  }
  await expect.poll(() => last(asking), PATIENCE).toEqual(['completed', true])
  await expect.poll(() => last(writing), PATIENCE).toEqual(['completed', true])
  expect(readFileSync(at.world.journal, 'utf8')).toContain('Postgres')
  expect(readFileSync(file, 'utf8')).toBe('once\n')
  expect(await at.reprise.questions({ state: 'open' })).toEqual([])
})

test('J-8 a job whose daemon was killed: both attempts stand on one line, with what the second one took over', async () => {
  const [effects, reached] = [at.world.path('effects'), at.world.path('reached')]
  const call = {
    type: 'tool',
    name: 'Bash',
    input: { command: `echo done >> ${effects}` },
  } as const
  at.world.script([
    {
      when: 'new',
      do: [
        { ...call, result: '' },
        { type: 'sideEffect', appendFile: effects, line: 'done' },
        { type: 'waitForFile', path: at.world.path('never'), reached },
      ],
    },
    { when: 'resume', do: [{ type: 'text', text: 'finished' }] },
  ])
  const page = await at.signIn()
  const { id } = await at.reprise.jobs.submit({
    prompt: 'rebuild the index',
    workDir: at.world.workDir,
    allowedTools: ['Bash'],
    backoff: { firstMs: 20 },
  })
  await appears(reached)
  await open(page, `/jobs/${id}`)
  const attempts = page.locator('.timeline .attempt')
  await attempts.filter({ hasText: 'running' }).waitFor(PATIENCE)

  await killAndRestart(page)
  await attempts.nth(1).getByText('completed').waitFor(PATIENCE)
  expect((await at.reprise.jobs.get(id)).attempts).toMatchObject([
    { status: 'interrupted' },
    { status: 'completed', sessionResumed: true },
  ])
  expect(await attempts.count()).toBe(2)
  const [first, second] = [attempts.nth(0), attempts.nth(1)]
  await first.getByText('interrupted').waitFor()
  await first.getByText('1 tool call ran').waitFor()
  await second.locator('.chip.resume').waitFor()
  await second.getByText(/^Carried over: the session itself, with 2 messages/).waitFor()
  // The line of the session goes from the first attempt into the second without a break.
  await first.locator('.line-cell.below-same').waitFor()
  await second.locator('.line-cell.above-same').waitFor()
  await page.getByRole('log').getByText('same session').waitFor()
  expect(readFileSync(effects, 'utf8')).toBe('done\n')
})

test('T-10 two tabs and the command line on one thread: every turn is in both tabs once, and in order', async () => {
  const threadId = await newThread([], 'first')
  await eventually(async () => (await runsOf(threadId)).every(({ endedAt }) => endedAt !== null))
  const { tabs, proxy } = await tabsBehindProxy()
  const [a, b] = tabs
  for (const tab of tabs) {
    await open(tab, `/threads/${threadId}`)
    await tab.getByText('Connected').waitFor()
  }
  const prompts = (tab: Page) => tab.locator('.turn-prompt > p').allTextContents()
  const shownIn = async (expected: readonly string[]) => {
    for (const tab of tabs) await expect.poll(() => prompts(tab), PATIENCE).toEqual(expected)
  }
  const cli = async (prompt: string) => {
    const { code, err } = await at.world.run(['send', '-t', threadId, prompt])
    expect([code, err]).toEqual([0, err])
  }
  const sendIn = async (tab: Page, prompt: string) => {
    await tab.getByLabel('Next message').fill(prompt)
    await tab.getByRole('button', { name: /^(?:Send|Queue)/ }).click()
  }
  await cli('by the command line')
  await shownIn(['first', 'by the command line'])
  await sendIn(a, 'in tab A')
  await shownIn(['first', 'by the command line', 'in tab A'])

  await proxy.cut()
  for (const tab of tabs) await tab.getByText('Reconnecting').first().waitFor(PATIENCE)
  await cli('while both were offline')
  await proxy.restore()
  await sendIn(b, 'in tab B')
  const all = ['first', 'by the command line', 'in tab A', 'while both were offline', 'in tab B']
  await shownIn(all)
  await eventually(async () => (await runsOf(threadId)).every(({ endedAt }) => endedAt !== null))
  await shownIn(all)
  for (const tab of tabs) {
    const answers = () => tab.locator('.turn .answer').allTextContents()
    await expect.poll(answers, PATIENCE).toEqual(all.map(prompt => `echo: ${prompt}`))
  }
  const { messages } = await (await at.reprise.threads.get(threadId)).show()
  expect(messages.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual(all)
  await proxy.close()
})

test('S9 a browser that may only read shows what it may not do and why, and the API refuses it', async () => {
  const call = { type: 'tool', name: 'Bash', input: { command: 'echo hi' }, asks: true } as const
  const threadId = await newThread([{ do: [{ ...call, result: 'hi' }] }], 'ask me')
  const page = await at.signIn(['read'])
  const noScope = (scope: string) => new RegExp(`no scope "${scope}"`)
  const refused = async (name: string, scope: string) => {
    const button = page.getByRole('button', { name }).first()
    await expect.poll(() => button.getAttribute('title'), PATIENCE).toMatch(noScope(scope))
    expect(await button.getAttribute('aria-disabled')).toBe('true')
  }
  await refused('Allow once', 'approve')
  for (const name of ['Allow for this run', 'Deny', 'Deny with a reason…']) {
    await refused(name, 'approve')
  }
  // A press says the reason, too.
  await page.getByRole('button', { name: 'Allow once' }).click({ force: true })
  await page.getByRole('status').getByText(noScope('approve')).waitFor()
  await open(page, `/threads/${threadId}`)
  await page.getByLabel('Next message').fill('let me in')
  for (const name of ['Queue', 'Edit', 'Retry', 'Fork here', 'Stop']) await refused(name, 'submit')
  await open(page, '/jobs')
  await refused('Submit a job', 'submit')
  await open(page, '/chains')
  await refused('Start a chain', 'submit')

  const [question] = await at.reprise.questions({ state: 'open' })
  const statusOf = (path: string, body: object) =>
    page.evaluate(
      `fetch(${JSON.stringify(path)}, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-reprise-csrf': localStorage.getItem('reprise-csrf') },
        body: ${JSON.stringify(JSON.stringify(body))},
      }).then(({ status }) => status)`,
    )
  const { runId = '', toolUseId } = question ?? {}
  expect(await statusOf(`/api/runs/${runId}/tool-result`, { toolUseId, allow: true })).toBe(403)
  expect(await statusOf(`/api/runs/${runId}/cancel`, {})).toBe(403)
  expect(await statusOf(`/api/threads/${threadId}/turns`, { prompt: 'let me in' })).toBe(403)
  expect(await statusOf('/api/logins', {})).toBe(403)
  expect((await at.reprise.questions({ state: 'open' })).map(one => one.runId)).toEqual([runId])
  await at.reprise.runs.cancel(runId)
})

test('a view that was never opened says so while the daemon is away, and opens when it is back', async () => {
  const {
    tabs: [page, other],
    proxy,
  } = await tabsBehindProxy()
  await other.close()
  await proxy.cut()
  await page.getByRole('link', { name: 'Savings' }).click()
  await page.getByText('This view could not be loaded').waitFor(PATIENCE)
  await proxy.restore()
  await page.getByRole('heading', { name: 'Savings' }).waitFor(PATIENCE)
  await proxy.close()
})

/** Stops the daemon in order and starts it again: no process of an agent outlives it. */
async function restart(): Promise<void> {
  at.daemon.signal('SIGTERM')
  await at.daemon.end
  expect(at.world.agentProcesses()).toEqual([])
  at.daemon = await at.world.serve(['--port', String(at.daemon.port)])
}

/** Begins a message; resolves to what the daemon says about a process for it. */
async function beginMessage(page: Page, threadId: string): Promise<unknown> {
  await open(page, `/threads/${threadId}`)
  const asked = page.waitForResponse(one => one.url().endsWith(`/api/threads/${threadId}/warm`))
  await page.getByLabel('Next message').fill('second')
  return (await asked).json()
}

test('W-1 the process of a message starts while it is typed, and the turn uses it; it ends when the message is cleared or its page is left', async () => {
  const threads = [await newThread([], 'first'), await newThread([], 'first')]
  const [used = '', cleared = ''] = threads
  const left = await newThread([], 'first')
  for (const id of [...threads, left]) {
    await eventually(async () => (await runsOf(id)).every(({ endedAt }) => endedAt !== null))
  }
  await restart()
  const page = await at.signIn()
  expect(await beginMessage(page, used)).toMatchObject({ waits: true })
  const started = at.world.agentProcesses()
  expect(started).toHaveLength(1)
  await page.getByLabel('Next message').press('Control+Enter')
  await page.getByText('echo: second').waitFor(PATIENCE)
  const run = (await runsOf(used)).toSorted((a, b) => a.queuedAt - b.queuedAt).at(-1)
  await open(page, `/runs/${run?.id}`)
  await page.getByText('Process: warm: started before the prompt came.').waitFor()
  expect(at.world.agentProcesses()).toEqual(started)

  const others = () => at.world.agentProcesses().filter(pid => !started.includes(pid))
  const allEnded = () => eventually(() => others().length === 0)
  expect(await beginMessage(page, cleared)).toMatchObject({ waits: true })
  expect(others()).toHaveLength(1)
  await page.getByLabel('Next message').fill('')
  await allEnded()
  expect(await beginMessage(page, left)).toMatchObject({ waits: true })
  expect(others()).toHaveLength(1)
  await page.getByRole('link', { name: 'Threads' }).first().click()
  await allEnded()
  // A process that a turn has used stays, and nothing was sent.
  expect(at.world.agentProcesses()).toEqual(started)
  expect([(await runsOf(cleared)).length, (await runsOf(left)).length]).toEqual([1, 1])
})
