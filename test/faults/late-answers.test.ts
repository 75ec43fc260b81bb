// T-7a: an answer that is stored is never lost, no matter which process dies before the agent acts on it.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Reprise } from '../../src/api.ts'
import type { GivenAnswer } from '../../src/core/conversation/question.ts'
import { openQuestion } from './sequences/open-question.ts'
import { memoryWorlds, type World } from './sequences/world.ts'

const openWorld = memoryWorlds()
const CALL = { type: 'tool', name: 'Bash', input: { command: 'make' }, result: 'made' } as const
let worlds = 0
let world: World
beforeEach(async () => {
  worlds += 1
  world = await openWorld(worlds)
})
afterEach(() => world.close())

/** The supervisor of the turn sleeps when somebody else answers, and dies before it has seen it. */
async function answerUnseen(given: GivenAnswer): Promise<{ reprise: Reprise; threadId: string }> {
  await world.script({
    do: [
      { ...CALL, asks: true },
      { type: 'text', text: 'made it' },
    ],
  })
  const first = world.supervisor()
  const asking = await first.reprise.threads.create({ workDir: world.workDirs[0] })
  const turn = asking.send('make it', { questions: 'ask' })
  for await (const event of turn) if (event.type === 'question') break
  const { reprise } = world.supervisor()
  const question = await openQuestion(reprise, asking.id)
  expect(question).toMatchObject({ kind: 'permission', delivery: 'live' })
  first.fate.fallAsleep()
  const { runId = '', toolUseId = '' } = question ?? {}
  await reprise.runs.answer(runId, { toolUseId, ...given })
  first.declareDead()
  return { reprise, threadId: asking.id }
}

test('T-7a the next run gets a permission that was stored for a supervisor that died, and needs not ask', async () => {
  const { reprise, threadId } = await answerUnseen({ allow: true })
  const thread = await reprise.threads.get(threadId)
  const turn = thread.send('go on', { questions: 'ask' })
  const seen: string[] = []
  for await (const event of turn) if (seen.push(event.type) && event.type === 'question') break
  expect(seen).not.toContain('question')
  expect(await turn.result).toMatchObject({ text: 'made it', run: { status: 'completed' } })
  expect((await world.journal()).at(-1)?.prompt).toContain('You asked to use Bash')
  const { messages } = await thread.show()
  expect(messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'user',
    'assistant',
  ])
  expect(await reprise.verify()).toEqual([])
})

test('T-7a a permission that the user takes back by an edit is not used', async () => {
  const { threadId } = await answerUnseen({ allow: true })
  const { reprise } = world.supervisor()
  const thread = await reprise.threads.get(threadId)
  const restated = (await thread.show()).messages.at(-1)
  await thread.edit(restated?.id ?? '', 'Better not.')
  const turn = thread.send('go on', { questions: 'ask' })
  for await (const event of turn) if (event.type === 'question') break
  const question = await openQuestion(reprise, threadId)
  const { runId = '', toolUseId = '' } = question ?? {}
  await reprise.runs.answer(runId, { toolUseId, allow: false })
  expect((await turn.result).run.status).toBe('completed')
})

test('T-7a a refusal with its words reaches the next run too', async () => {
  const no = { allow: false, message: 'not on a Sunday' }
  const { reprise, threadId } = await answerUnseen(no)
  const thread = await reprise.threads.get(threadId)
  await world.script({ do: [{ type: 'text', text: 'left alone' }] })
  expect((await thread.send('go on').result).text).toBe('left alone')
  expect((await world.journal()).at(-1)?.prompt).toContain('not on a Sunday')
})
