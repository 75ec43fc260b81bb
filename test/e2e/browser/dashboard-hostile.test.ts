import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { opsPolicy } from '../../scenarios/chains/chains.ts'
import { type BrowserWorld, browserWorld } from './browser-world.ts'
import { type OpenBrowser, openChromium } from './chromium.ts'
import { attacksOn, KINDS, MARKUP, PAYLOADS } from './hostile-texts.ts'

let chromium: OpenBrowser
let daemon: BrowserWorld

beforeAll(async () => {
  chromium = await openChromium()
  daemon = await browserWorld({ script: script(), listPolicies: policies })
})
afterAll(async () => {
  await chromium.close()
  await daemon.close()
})

const FILE_NAME = `/project/${MARKUP[1]}`

test('S26 120 hostile texts in titles, prompts, answers, calls and their results stay text', async () => {
  for (const title of KINDS) {
    await daemon.call('POST', '/api/threads', { workDir: '/project', title: title.slice(0, 200) })
  }
  const messages = PAYLOADS.flatMap((text, index) => [
    { role: 'user', text },
    {
      role: 'assistant',
      text,
      tools: [
        {
          id: `call-${index}`,
          name: text.replaceAll('\n', ' ').slice(0, 60),
          input: JSON.stringify({ file_path: text, old_string: text, new_string: `${text}!` }),
          result: text,
          isError: index % 2 === 0,
        },
      ],
    },
  ])
  const adopted = await daemon.call('POST', '/api/threads/adopt', { workDir: '/project', messages })
  expect(adopted.status).toBe(201)

  const { page, complaints } = await visitor()
  const base = `http://127.0.0.1:${daemon.port}`

  await page.goto(`${base}/threads`)
  // High enough for all rows: those far below the view are not drawn.
  await page.setViewportSize({ width: 1280, height: 2_400 })
  await page.locator('tbody a').nth(KINDS.length).waitFor()
  const titles = await page.locator('tbody a').allTextContents()
  // A title has one line.
  for (const title of KINDS)
    expect(titles).toContain(title.slice(0, 200).replace(/\s+/g, ' ').trim())

  await page.goto(`${base}/threads/${adopted.body.id}`)
  await page
    .locator('.turn')
    .nth(PAYLOADS.length - 1)
    .waitFor()
  // Every call is opened, and every call within it.
  await page.evaluate(`for (const head of document.querySelectorAll('.calls-head')) head.click()`)
  await page
    .locator('.call-head')
    .nth(PAYLOADS.length - 1)
    .waitFor()
  await page.evaluate(`for (const head of document.querySelectorAll('.call-head')) head.click()`)
  await page
    .locator('.call-body')
    .nth(PAYLOADS.length - 1)
    .waitFor()

  for (const tab of ['lineage', 'runs']) {
    await page.goto(`${base}/threads/${adopted.body.id}?tab=${tab}`)
    await page.locator('main h1').waitFor()
  }
  await page.goto(`${base}/sessions`)
  await page.locator('main h1').waitFor()

  expect(await attacksOn(page)).toEqual({ attacked: undefined, foreign: 0 })
  expect(complaints).toEqual([])
  await page.context().close()
})

test('S26 hostile file names, errors and policy names stay text', async () => {
  const { body: thread } = await daemon.call('POST', '/api/threads', { workDir: '/project' })
  const runs: string[] = []
  for (const index of KINDS.keys()) {
    const sent = { prompt: `fail-${index};`, questions: 'none' }
    const { body } = await daemon.call('POST', `/api/threads/${thread.id}/turns`, sent)
    await expect.poll(() => isOver(body.runId), { timeout: 120_000 }).toBe(true)
    runs.push(body.runId)
  }
  const { body: asking } = await daemon.call('POST', '/api/threads', { workDir: '/project' })
  const turn = { prompt: 'edit-it;', questions: 'ask' }
  await daemon.call('POST', `/api/threads/${asking.id}/turns`, turn)
  const { page, complaints } = await visitor()
  const base = `http://127.0.0.1:${daemon.port}`
  const look = async (path: string) => {
    await page.goto(base + path)
    await page.locator('main h1').first().waitFor()
  }
  await look('/')
  const fileName = page.getByRole('article', { name: /^Permission/ }).getByText(FILE_NAME)
  await fileName.first().waitFor()

  await look(`/threads/${thread.id}`)
  const errors = page.locator('.turn-foot .bad')
  // The page draws the latest turns first. A transcript that is replayed holds earlier prompts, and then the agent repeats an earlier error.
  const said = async () => {
    const texts = await errors.allTextContents()
    return MARKUP.filter(kind => texts.some(text => text.includes(kind))).length
  }
  await expect.poll(said).toBeGreaterThanOrEqual(10)
  for (const id of [runs[0], runs[1]]) await look(`/runs/${id}`)
  await look('/live')
  await page.locator('.event-line').nth(20).waitFor()
  await look('/chains?start=yes')
  const names = page.getByRole('dialog').locator('select').first().locator('option')
  await names.first().waitFor({ state: 'attached' })
  expect(await names.allTextContents()).toEqual(KINDS)

  expect(await attacksOn(page)).toEqual({ attacked: undefined, foreign: 0 })
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a page says that it reconnects while the daemon is away, and catches up when it is back', async () => {
  const context = await chromium.browser.newContext()
  const page = await context.newPage()
  await page.goto(await daemon.invite())
  await page.getByText('Connected').waitFor()
  await page.getByRole('link', { name: 'Threads' }).click()
  await page.locator('tbody a').first().waitFor()
  await daemon.away(async () => {
    await page.getByRole('status').filter({ hasText: 'Reconnecting' }).first().waitFor()
    await daemon.call('POST', '/api/threads', { workDir: '/project', title: 'Made meanwhile' })
  })
  await page.getByText('Connected').waitFor()
  await page.getByRole('link', { name: 'Made meanwhile' }).waitFor()
  await context.close()
})

/** What an agent could be told to say: errors of its API, and a file that it wants to change. */
function script(): FakeScript {
  const edit = { file_path: FILE_NAME, old_string: KINDS[1], new_string: KINDS[2] }
  return [
    ...KINDS.map((message, index) => ({
      when: `fail-${index};`,
      do: [{ type: 'apiError', status: 400, message } as const],
    })),
    { when: 'edit-it;', do: [{ type: 'tool', name: 'Edit', input: edit, asks: true }] },
  ]
}

/** Names and problems of policies come from a config file. */
async function policies() {
  return KINDS.map(name => ({ name, policy: { ...opsPolicy(), name } }))
}

/** A browser that is signed in, and what its page must not do. */
async function visitor(): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const context = await chromium.browser.newContext()
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('dialog', dialog => complaints.push(dialog.message()))
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(`http://127.0.0.1:${daemon.port}/`) && !url.startsWith('data:image/svg')) {
      complaints.push(url)
    }
  })
  await page.goto(await daemon.invite())
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  return { page, complaints }
}

async function isOver(runId: string): Promise<boolean> {
  return (await daemon.call('GET', `/api/runs/${runId}`)).body.endedAt !== null
}
