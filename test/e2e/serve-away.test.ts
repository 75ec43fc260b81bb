// Answers and messages around a daemon that dies while its user is asked.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Question } from '../../src/core/question.ts'
import { ServeWorld } from './serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
  const asks = { type: 'tool', name: 'Bash', input: { command: 'echo hi' }, asks: true } as const
  const steps = [
    { ...asks, result: 'hi' },
    { type: 'text', text: 'written' },
  ] as const
  world.script([
    { when: 'write it', do: steps },
    { when: 'do it now', do: steps },
  ])
})
afterEach(() => world.closeAll())

async function asked() {
  const daemon = await world.serve()
  const reprise = world.connect(daemon)
  const thread = await reprise.threads.create({ workDir: world.workDir })
  const turn = thread.send('write it', { questions: 'ask' })
  for await (const event of turn) if (event.type === 'question') break
  const [question] = await reprise.questions({ state: 'open' })
  return { daemon, reprise, thread, turn, question: question as Question }
}

test('T-7a an answer that is given while the daemon is away arrives when it is back', async () => {
  const { daemon, reprise, turn, question } = await asked()
  const { runId, toolUseId } = question
  daemon.signal('SIGKILL')
  await daemon.end
  const answered = reprise.runs.answer(runId, { toolUseId, allow: true })
  answered.catch(() => {})
  await world.serve(['--port', String(daemon.port)])
  expect((await answered).run).toMatchObject({ id: runId, status: 'interrupted' })
  const { run, text } = await turn.result
  expect([run.parentRunId, run.status, text]).toEqual([runId, 'completed', 'written'])
  const told = await reprise.runs.events(run.id)
  expect(told.map(({ type }) => type)).not.toContain('question')
  await reprise.close()
})

test('T-10 a message behind a question that nobody has answered says what it waits for', async () => {
  const { reprise, thread, turn, question } = await asked()
  const later = thread.send('and then?', { questions: 'ask' })
  for await (const event of later) {
    expect(event).toMatchObject({ type: 'queued', behind: question.runId })
    break
  }
  const { runId, toolUseId } = question
  await reprise.runs.answer(runId, { toolUseId, allow: true })
  expect((await turn.result).text).toBe('written')
  expect((await later.result).run.status).toBe('completed')
  await reprise.close()
})
