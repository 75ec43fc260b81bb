// Answers that fit no open question, on the fake agent in this process.
import { expect, onTestFinished, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import { createReprise } from '../../reprise.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { createFakeRunner } from '../../testing/fake-runner.ts'
import { smallWorld } from '../../testing/in-process-agent.ts'

test('T-7 U-4 an answer to another call is refused; the hint names the calls that wait, or says that the run asks nothing', async () => {
  const files = await smallWorld()
  const questions = ['Which?'].map(question => ({
    question,
    options: [{ label: 'a' }, { label: 'b' }],
  }))
  const runner = createFakeRunner({
    files,
    script: [{ when: 'choose', do: [{ type: 'ask', questions }] }],
  })
  const agent = claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })
  const keepText = async (text: string) => {
    await files.write(`/kept/${text.length}`, text)
    return `/kept/${text.length}`
  }
  const dependencies = { runner, files, keepText }
  const reprise = createReprise({ store: sqlite(':memory:'), agents: [agent], dependencies })
  onTestFinished(() => reprise.close())
  const thread = await reprise.threads.create({ workDir: '/project' })
  const asking = thread.send('choose', { questions: 'ask' })
  for await (const event of asking) if (event.type === 'question') break
  const [asked] = await reprise.runs.list()
  const [question] = await reprise.runs.questions(asked?.id ?? '')
  const { runId = '', toolUseId = '' } = question ?? {}
  const other = 'x'.repeat(300)
  await expect(
    reprise.runs.answer(runId, { toolUseId: other, content: 'a' }),
  ).rejects.toMatchObject({
    code: 'conflict',
    message: `run ${runId} asks nothing as ${'x'.repeat(200)}`,
    hint: `It waits for an answer to ${toolUseId}.`,
  })
  const { run, turn } = await reprise.runs.answer(runId, { toolUseId, content: 'a' })
  expect(run).toMatchObject({ id: runId, status: 'completed' })
  const { run: ended } = (await turn?.result) ?? {}
  expect(ended).toMatchObject({ status: 'completed', parentRunId: runId, repliesTo: toolUseId })
  const late = reprise.runs.answer(ended?.id ?? '', { toolUseId: 'x', content: 'a' })
  await expect(late).rejects.toMatchObject({
    code: 'conflict',
    hint: 'It is completed and asks nothing.',
  })
})
