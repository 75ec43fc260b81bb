// Inbox, chains, jobs and Live: what they show, and acts that reach the daemon. They share a store with other tests, which takes long to make.
import { beforeAll, describe, expect, test } from 'vitest'
import { chainReasonWords } from '../../../src/core/chain/chain-words.ts'
import type { DashboardWorld } from './dashboard-page.ts'

export function testsOfWork(at: () => DashboardWorld): void {
  describe('work', () => work(at))
}

function work(at: () => DashboardWorld): void {
  let page: DashboardWorld['page']
  let store: DashboardWorld['store']
  let open: DashboardWorld['open']

  beforeAll(() => {
    ;({ page, store, open } = at())
    at().complaints.length = 0
  })

  async function chainWith(status: 'held' | 'resolved') {
    const chains = await store.reprise.chains.list({ status, limit: 200 })
    const chain =
      status === 'held'
        ? chains.find(({ because }) => because.code === 'approval-needed')
        : chains.toSorted((a, b) => b.byTier.length - a.byTier.length)[0]
    if (!chain) throw new Error(`the store has no chain that is ${status}`)
    return chain
  }

  async function jobWithCheckpoints() {
    const jobs = await store.reprise.jobs.list({ limit: 200 })
    const details = await Promise.all(jobs.map(({ id }) => store.reprise.jobs.get(id)))
    const job = details
      .filter(({ checkpoints }) => checkpoints.length > 0)
      .toSorted((a, b) => b.attempts.length - a.attempts.length)[0]
    if (!job) throw new Error('the store has no job with checkpoints')
    return job
  }

  describe('every view of work from a cold address', () => {
    test('the inbox lists what waits, and the title of the tab counts it', async () => {
      await open('/')
      const items = page.locator('article.inbox-item')
      await items.first().waitFor()
      const count = await items.count()
      expect(count).toBeGreaterThan(3)
      await expect.poll(() => page.title()).toBe(`(${count}) Inbox · Reprise`)
      expect(await page.locator('article.focused').count()).toBe(1)
      expect(await page.locator('.button.filled').count()).toBe(1)
    })

    test('E-7 U-5 a chain of three tiers shows each with model, cost and reason, and the sum', async () => {
      const { id, byTier, runs } = await chainWith('resolved')
      expect(byTier).toHaveLength(3)
      await open('/chains?status=resolved')
      await page.locator(`a[href="/chains/${id}"]`).click()
      await page.locator('.sums').waitFor()
      const sums = await page.locator('.sums dd').allTextContents()
      expect(sums).toHaveLength(byTier.length + 1)
      const cents = sums.map(text => Math.round(Number(text.replace('$', '')) * 100))
      expect(cents.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBe(cents.at(-1))
      expect(await page.locator('.waterfall .bar.running').count()).toBeGreaterThanOrEqual(
        byTier.length,
      )
      const name = await page.locator('.waterfall .bar.running').first().getAttribute('aria-label')
      expect(name).toMatch(/: running for .+ in all$/)
      const rows = await page.locator('.waterfall tbody tr').allTextContents()
      const columns = await page.locator('.tier-column').allTextContents()
      for (const [index, tier] of byTier.entries()) {
        // The first row is the whole chain.
        for (const shown of [tier.name, tier.model ?? '', `$${(tier.costUsd ?? 0).toFixed(2)}`]) {
          expect(rows[index + 1]).toContain(shown)
        }
        const step = runs.findLast(run => run.tier === tier.tier)?.chainStep
        if (!step) throw new Error(`tier ${tier.tier} has no end`)
        // Its first letter is a capital there.
        expect(columns[index]).toContain(chainReasonWords(step.because).slice(1))
      }
    })

    test('a job shows its attempts, the difference of a checkpoint and its log', async () => {
      const job = await jobWithCheckpoints()
      await open('/jobs')
      await open(`/jobs/${job.id}`)
      expect(await page.locator('.attempt').count()).toBe(job.attempts.length)
      expect(await page.locator('.checkpoint').count()).toBe(job.checkpoints.length)
      await page.locator('.log-line').first().waitFor()
      await page.getByRole('button', { name: 'Show diff' }).nth(1).click()
      await page.locator('.checkpoint-diff').waitFor()
      expect(page.url()).toMatch(/\?diff=\d+$/)
    })

    test('Live shows runs that are not over', async () => {
      await open('/live')
      const waiting = await store.reprise.runs.list({ status: 'waiting' })
      for (const { id } of waiting) await page.locator(`a.row-link[href="/runs/${id}"]`).waitFor()
    })
  })

  test('views of work have no faults that axe knows, in both themes and three widths', async () => {
    const [chain, job] = [await chainWith('resolved'), await jobWithCheckpoints()]
    const found: string[] = []
    for (const path of [
      '/',
      '/chains',
      `/chains/${chain.id}`,
      '/jobs',
      `/jobs/${job.id}`,
      '/live',
    ]) {
      found.push(...(await at().faultsOf(path)))
    }
    expect(found).toEqual([])
  })

  describe('acts reach the daemon', () => {
    test('a key allows the focused permission, and a word goes along with a no', async () => {
      const open_ = await store.reprise.questions({ state: 'open' })
      const [first, second] = open_.filter(({ kind }) => kind === 'permission')
      if (!first || !second) throw new Error('the store has fewer than two open permissions')
      const answerTo = async ({ runId, toolUseId }: typeof first) =>
        (await store.reprise.runs.questions(runId)).find(one => one.toolUseId === toolUseId)?.answer
      await open('/')
      const items = page.getByRole('article', { name: /^Permission/ })
      const focused = page.locator('article.focused[aria-label^="Permission"]')
      // The oldest stands first, as in the list of the API.
      await items.first().locator('h2').click()
      await focused.waitFor()
      await page.keyboard.press('a')
      await expect.poll(() => answerTo(first)).toEqual({ kind: 'allow' })
      await expect.poll(() => items.count()).toBe(1)
      await items.first().locator('h2').click()
      await focused.waitFor()
      await page.keyboard.press('Shift+D')
      await page.getByLabel('A word for the agent').fill('Not on a Tuesday.')
      await page.keyboard.press('Enter')
      const denied = { kind: 'deny', message: 'Not on a Tuesday.' }
      await expect.poll(() => answerTo(second)).toEqual(denied)
      await open('/?tab=answered')
      await page.getByText('denied: Not on a Tuesday.').waitFor()
    })

    test('a digit answers the focused question', async () => {
      const open_ = await store.reprise.questions({ state: 'open' })
      const asked = open_.find(({ kind, items }) => kind === 'question' && items.length === 1)
      if (!asked) throw new Error('the store has no open question')
      await open('/')
      await page
        .getByRole('article', { name: /^Question/ })
        .locator('h2')
        .click()
      await page.locator('article.focused[aria-label^="Question"]').waitFor()
      await page.keyboard.press('2')
      const answer = async () =>
        (await store.reprise.runs.questions(asked.runId)).find(
          ({ toolUseId }) => toolUseId === asked.toolUseId,
        )?.answer
      const [item] = asked.items
      const choices = { [item?.question ?? '']: item?.options[1]?.label }
      await expect.poll(answer).toEqual({ kind: 'choices', choices })
    })

    test('a person approves the next tier after reading what it may do and cost', async () => {
      const chain = await chainWith('held')
      await open(`/chains/${chain.id}`)
      await page.keyboard.press('a')
      const dialog = page.getByRole('dialog')
      await dialog.getByText('the chain has spent').waitFor()
      // What the next tier is expected to cost, by each way in which the conversation can reach it.
      const next = await store.reprise.chains.previewNext(chain.id)
      const rows = dialog.locator('table.estimates tbody tr')
      await rows.first().waitFor()
      expect(await rows.count()).toBe(next.ways.length)
      const [way] = next.ways
      expect(await rows.first().textContent()).toContain(`${way?.way}, chosen`)
      await dialog.getByText(next.estimate ? 'Expected to cost' : 'Price:').waitFor()
      await dialog.getByRole('button', { name: `Approve tier ${chain.because.tier}` }).click()
      const tierOf = async () => (await store.reprise.chains.get(chain.id)).tier
      await expect.poll(tierOf).toBe(chain.because.tier)
    })

    test('a chain is started from the form, with its ceiling and its budget', async () => {
      const { workDir } = await chainWith('resolved')
      await open('/chains?start=yes')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Task').fill('Check the certificates')
      await dialog.getByLabel(/Work dir/).fill(workDir)
      await dialog.getByLabel('Highest tier').selectOption('1')
      await dialog.getByLabel('Budget').fill('0.5')
      await dialog.getByText('Dry run').click()
      await dialog.getByRole('button', { name: 'Start' }).click()
      await page.waitForURL(/\/chains\/chn_/)
      const id = page.url().split('/').at(-1) ?? ''
      expect(await store.reprise.chains.get(id)).toMatchObject({
        prompt: 'Check the certificates',
        maxTier: 1,
        budgetUsd: 0.5,
        dryRun: true,
      })
    })

    test('a job is submitted from the form; a dead one is retried by a key', async () => {
      const [dead] = await store.reprise.jobs.list({ status: 'dead' })
      if (!dead) throw new Error('the store has no dead job')
      await open('/jobs?submit=yes')
      const dialog = page.getByRole('dialog')
      // The button says what is missing instead of being silent.
      expect(await dialog.getByRole('button', { name: 'Submit' }).getAttribute('title')).toBe(
        'Say what the task is.',
      )
      await dialog.getByLabel('Task').fill('Count the files')
      await dialog.getByLabel(/Work dir/).fill(dead.workDir)
      await dialog.getByLabel('Attempts that count').fill('2')
      await dialog.getByRole('button', { name: 'Submit' }).click()
      await page.waitForURL(/\/jobs\/job_/)
      const submitted = await store.reprise.jobs.get(page.url().split('/').at(-1) ?? '')
      expect(submitted).toMatchObject({ prompt: 'Count the files', policy: { maxAttempts: 2 } })

      await open(`/jobs/${dead.id}`)
      const before = (await store.reprise.jobs.get(dead.id)).attempts.length
      await page.keyboard.press('r')
      const attempts = async () => (await store.reprise.jobs.get(dead.id)).attempts.length
      await expect.poll(attempts).toBeGreaterThan(before)
    })

    test('nothing went wrong in the console of the page', () => {
      expect(at().complaints).toEqual([])
    })
  })
}
