// Hostile questions and permissions in the dashboard of a real daemon: what an agent asks stays text, open and answered.
import { expect, test } from 'vitest'
import { eventually } from '../daemon/serve-world.ts'
import { useDaemonBrowser } from './daemon-browser.ts'
import { attacksOn, KINDS, MARKUP } from './hostile-texts.ts'

const at = useDaemonBrowser()

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
