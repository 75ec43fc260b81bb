// Scenarios of permissions that a user gives for a whole run.
import { expect, test } from 'vitest'
import type { RunEvent } from '../../../src/index.ts'
import { type Act, askPermission, call, say } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { asked, linesIn, openQuestion } from './questions.ts'

export function runPermissionScenarios(world: () => Harness): void {
  test('T-7 what is allowed for the run is not asked again in it; other calls are, and the next run asks again', async () => {
    const { reprise, model } = world()
    const thread = await world().thread()
    const [often, other] = [world().path('often'), world().path('other')]
    const same = askPermission(often, 'a line')
    const acts = [same, same, askPermission(other, 'a line'), say('done')]
    const { turn, question } = await asked(world(), thread, 'write it twice', acts)
    const words = `Bash commands that are exactly \`echo a line >> ${often}\``
    expect(question.rule).toMatchObject({ kind: 'command', tool: 'Bash', words })
    const { runId, toolUseId } = question
    await reprise.runs.answer(runId, { toolUseId, allow: true, for: 'run' })

    const next = await openQuestion(world(), turn)
    expect(next).toMatchObject({ runId, input: expect.stringContaining(other) })
    expect(linesIn(often)).toEqual(['a line', 'a line'])
    await reprise.runs.answer(runId, { toolUseId: next.toolUseId, allow: false })
    expect((await turn.result).run).toMatchObject({ id: runId, status: 'completed' })
    expect(linesIn(other)).toEqual([])

    const events = await reprise.runs.events(runId)
    const called = events.filter(event => event.type === 'tool').map(({ id }) => id)
    expect(events.flatMap(answered)).toEqual([
      [called[0], 'user', words],
      [called[1], 'rule', words],
      [called[2], 'deny', undefined],
    ])
    expect(events.filter(event => event.type === 'question')).toHaveLength(2)

    model.reset()
    const later = await asked(world(), thread, 'once more', [same, say('done')])
    expect(later.question.runId).not.toBe(runId)
    expect(linesIn(often)).toHaveLength(2)
    const again = { toolUseId: later.question.toolUseId, allow: true }
    await reprise.runs.answer(later.question.runId, again)
    expect((await later.turn.result).run.status).toBe('completed')
    expect(linesIn(often)).toHaveLength(3)
    expect(await reprise.verify()).toEqual([])
  })

  test('T-7 changes of one file are allowed for the run; a change of another file is asked for', async () => {
    const { reprise } = world()
    const thread = await world().thread()
    const [file, other] = [world().path('notes.md'), world().path('other.md')]
    const write = (path: string, content: string): Act => ({
      ...call('Write', { file_path: path, content }),
      asks: true,
    })
    const acts = [write(file, 'one'), write(file, 'two'), write(other, 'three'), say('done')]
    const { turn, question } = await asked(world(), thread, 'write it down', acts)
    const { runId, toolUseId, rule } = question
    expect(rule?.words).toBe(`every change of the file \`${file}\``)
    await reprise.runs.answer(runId, { toolUseId, allow: true, for: 'run' })
    const next = await openQuestion(world(), turn)
    expect(next.rule?.value).toBe(other)
    await reprise.runs.answer(runId, { toolUseId: next.toolUseId, allow: true })
    expect((await turn.result).text).toBe('done')
    expect(await reprise.runs.questions(runId)).toHaveLength(2)
  })

  test('T-7a given after the process died, it holds in the run that brings it, and not in the next', async () => {
    const { reprise, model } = world()
    const thread = await world().thread()
    const file = world().path('revived')
    const same = askPermission(file, 'a line')
    const { turn, question } = await asked(world(), thread, 'write it', [same, say('done')])
    await world().killAgent(question.runId)
    await expect
      .poll(async () => (await reprise.questions({ state: 'open' }))[0]?.delivery)
      .toBe('restated')
    model.reset()
    model.plan([same, same, say('done')])
    const { toolUseId, runId } = question
    await reprise.runs.answer(runId, { toolUseId, allow: true, for: 'run' })
    expect(await turn.result).toMatchObject({ text: 'done', run: { status: 'completed' } })
    expect(linesIn(file)).toEqual(['a line', 'a line'])
    model.reset()
    const later = await asked(world(), thread, 'once more', [same, say('done')])
    await reprise.runs.cancel(later.question.runId)
    expect((await later.turn.result).run.status).toBe('cancelled')
    expect(linesIn(file)).toHaveLength(2)
    expect(await reprise.verify()).toEqual([])
  })

  test('T-7 only a permission can be given for the run', async () => {
    const thread = await world().thread()
    const { turn, question } = await asked(world(), thread, 'set it up')
    const { toolUseId, runId } = question
    expect(question.rule).toBeUndefined()
    const forRun = { toolUseId, allow: true, for: 'run' } as const
    await expect(world().reprise.runs.answer(runId, forRun)).rejects.toMatchObject({
      code: 'conflict',
    })
    await world().reprise.runs.cancel(runId)
    expect((await turn.result).run.status).toBe('cancelled')
  })
}

/** Which call was answered, by whom, and by which rule. */
function answered(event: RunEvent): readonly (readonly [string, string, string | undefined])[] {
  if (event.type !== 'answer' || event.answer === null) return []
  const { answer, id } = event
  const forRun = answer.kind === 'allow' ? answer.forRun : undefined
  return [[id, forRun?.by ?? answer.kind, forRun?.rule.words]]
}
