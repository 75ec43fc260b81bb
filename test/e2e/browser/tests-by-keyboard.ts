// The dashboard by keyboard alone, and what axe finds while something lies above a view. They share a store with other tests.
import { beforeAll, describe, expect, test } from 'vitest'
import type { DashboardWorld } from './dashboard-page.ts'

let world: DashboardWorld

const PATIENCE = { timeout: 120_000 }
const MOST_TABS = 120
const HELD = 'Chain held: Let the chain into'

type Focused = { readonly name: string; readonly isVisible: boolean }

/** What has the focus, and whether a person can see that. */
function focused(): Promise<Focused> {
  return world.page.evaluate(`(() => {
    const element = document.activeElement
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const { top, bottom, width } = element.getBoundingClientRect()
    const isOnScreen = bottom > 0 && top < innerHeight && width > 0
    return {
      name: (element.getAttribute('aria-label') ?? element.textContent ?? '').trim(),
      isVisible: isOnScreen && outlineStyle !== 'none' && parseFloat(outlineWidth) > 0,
    }
  })()`)
}

/** Presses Tab until something with this name has the focus; every stop on the way comes into view. */
async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < MOST_TABS; presses++) {
    await world.page.keyboard.press('Tab')
    const at = await focused()
    // What loads above it may have moved it out of the window for a moment.
    if (!at.isVisible) await expect.poll(focused).toEqual({ ...at, isVisible: true })
    if (at.name.startsWith(name)) return
  }
  throw new Error(`Tab does not lead to ${name}`)
}

/** A key that comes before the next paint acts on what is shown then. */
function painted(): Promise<unknown> {
  return world.page.evaluate(
    'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))',
  )
}

/** Presses J, then K, until the focused item of the inbox is of a kind. */
async function stepTo(kind: string): Promise<void> {
  const { page } = world
  const item = page.locator('article.focused')
  const count = await page.locator('article.inbox-item').count()
  for (let presses = 0; presses < 2 * count; presses++) {
    if ((await item.getAttribute('aria-label'))?.startsWith(kind)) return
    await page.keyboard.press(presses < count ? 'j' : 'k')
    await painted()
  }
  throw new Error(`J does not lead to an item of the kind ${kind}`)
}

export function testsByKeyboard(at: () => DashboardWorld): void {
  describe('by keyboard', () => {
    beforeAll(() => {
      world = at()
    })
    test('by keys alone: to the inbox, a question answered, a permission allowed, a held chain approved', async () => {
      const { page, store } = world
      const open = await store.reprise.questions({ state: 'open' })
      const question = open.find(({ kind, items }) => kind === 'question' && items.length === 1)
      const permission = open.find(({ kind }) => kind === 'permission')
      const held = await store.reprise.chains.list({ status: 'held', limit: 200 })
      if (!question || !permission) throw new Error('the store has no open question and permission')
      const answerTo = async ({ runId, toolUseId }: typeof question) =>
        (await store.reprise.runs.questions(runId)).find(one => one.toolUseId === toolUseId)?.answer

      await world.open('/threads')
      await tabTo('Inbox')
      await page.keyboard.press('Enter')
      await page.locator('article.focused').waitFor()

      // The options are buttons that Tab reaches.
      const [asked] = question.items
      const label = asked?.options[1]?.label ?? ''
      await stepTo('Question')
      await tabTo(`2${label}`)
      // The daemon's word that it has the answer comes when the reader has gone on already.
      const gone = Promise.withResolvers<void>()
      await page.route('**/tool-result', async route => {
        const response = await route.fetch()
        await gone.promise
        await route.fulfill({ response })
      })
      await page.keyboard.press('Enter')
      const choices = { [asked?.question ?? '']: label }
      await expect.poll(() => answerTo(question), PATIENCE).toEqual({ kind: 'choices', choices })

      // The focus stays where the reader is; a key of the focused item does the same as its button.
      await stepTo(HELD)
      gone.resolve()
      const left = page.locator('article.inbox-item', { hasText: asked?.question ?? '' })
      await left.waitFor({ state: 'detached' })
      await page.unroute('**/tool-result')
      expect(await page.locator('article.focused').getAttribute('aria-label')).toContain(HELD)
      await stepTo('Permission')
      await page.keyboard.press('a')
      await expect.poll(() => answerTo(permission), PATIENCE).toEqual({ kind: 'allow' })

      await stepTo(HELD)
      await page.keyboard.press('o')
      await page.waitForURL(/\/chains\/chn_/)
      const id = new URL(page.url()).pathname.split('/').at(-1)
      const chain = held.find(one => one.id === id)
      await page.locator('.sums').waitFor()
      await page.keyboard.press('a')
      await page.getByRole('dialog').getByText('the chain has spent').waitFor()
      // The dialog has the focus, and what Enter would do can be seen.
      expect(await focused()).toEqual({
        name: `Approve tier ${chain?.because.tier}`,
        isVisible: true,
      })
      await page.keyboard.press('Enter')
      const tierOf = async () => (await store.reprise.chains.get(id ?? '')).tier
      await expect.poll(tierOf, PATIENCE).toBe(chain?.because.tier)
      expect(world.complaints).toEqual([])
    })

    test('what lies above a view has no faults that axe knows, in both themes and three widths', async () => {
      const { page, store } = world
      const { keyboard } = page
      const [[chain], [job], threads] = await Promise.all([
        store.reprise.chains.list({ status: 'running' }),
        store.reprise.jobs.list({ status: 'dead' }),
        store.reprise.threads.list({ limit: 200 }),
      ])
      // Only a thread in which nothing goes on can be removed.
      const thread = threads.find(
        ({ kind, lastRun }) => kind === 'chat' && lastRun?.status === 'completed',
      )
      const dialog = () => page.getByRole('dialog').waitFor()
      const press = (key: string) => async () => {
        await keyboard.press(key)
        await dialog()
      }
      const click = (name: string | RegExp) => async () => {
        await page.getByRole('button', { name }).first().click()
        await dialog()
      }
      const faults = [
        ...(await world.faultsOf('/threads', press('Control+k'))),
        ...(await world.faultsOf('/', press('?'))),
        ...(await world.faultsOf('/threads', press('n'))),
        ...(await world.faultsOf('/chains?start=yes', dialog)),
        ...(await world.faultsOf('/jobs?submit=yes', dialog)),
        ...(await world.faultsOf(`/chains/${chain?.id}`, press('c'))),
        ...(await world.faultsOf(`/jobs/${job?.id}`, click('Remove…'))),
        ...(await world.faultsOf(`/threads/${thread?.id}`, click('Remove…'))),
      ]
      expect(faults).toEqual([])
    })
  })
}
