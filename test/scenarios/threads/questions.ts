// Scenarios of agents that ask in the middle of a turn: parked, answered, dropped; also after the process is gone.
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Question } from '../../../src/core/conversation/question.ts'
import type { Thread, Turn, TurnOptions } from '../../../src/index.ts'
import { type Act, askPermission, askUser, say } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'

const ASK: TurnOptions = { questions: 'ask' }
const WHICH = 'Which database?'
const OPTIONS = ['Postgres', 'SQLite']

export function questionScenarios(world: () => Harness): void {
  test('T-7a a question parks the turn without a process; its answer goes to the same call, and the next turn resumes', async () => {
    const thread = await world().thread()
    const { turn, question } = await asked(world(), thread, 'set it up')
    expect(question).toMatchObject({
      kind: 'question',
      tool: 'AskUserQuestion',
      delivery: 'parked',
      items: [{ question: WHICH, options: [{ label: 'Postgres' }, { label: 'SQLite' }] }],
    })
    expect(world().processesOf(question.runId)).toEqual([])
    world().model.plan([say('Postgres it is')])
    const { toolUseId, runId } = question
    const { run } = await world().reprise.runs.answer(runId, { toolUseId, content: 'Postgres' })
    const result = await turn.result
    expect(result).toMatchObject({ text: 'Postgres it is', run: { status: 'completed' } })
    expect(run).toMatchObject({ id: runId, status: 'completed', continuedBy: result.run.id })
    expect(result.run).toMatchObject({
      parentRunId: runId,
      repliesTo: toolUseId,
      sessionResumed: true,
      decision: { action: 'resume' },
    })
    const got = await world().model.everything(result.run.id)
    expect(got).toContain('Your questions have been answered')
    expect(got.split('set it up')).toHaveLength(2)
    expect(got.split('Postgres it is')).toHaveLength(1)
    const next = await world().turn(thread, 'go on', ASK)
    expect(next).toMatchObject({ text: 'echo: go on', run: { decision: { action: 'resume' } } })
    expect((await world().model.everything(next.run.id)).split('Postgres it is')).toHaveLength(2)
    expect(await world().reprise.verify()).toEqual([])
  })

  test('T-7 T-7a on a resumed turn, and answered by another process than the one that asked', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'remember the heron', ASK)
    const { turn, question } = await asked(world(), thread, 'set it up')
    await world().restart()
    expect((await turn.result).run).toMatchObject({ id: question.runId, status: 'waiting' })
    world().model.plan([say('done')])
    const { toolUseId, runId } = question
    const answered = await world().reprise.runs.answer(runId, { toolUseId, content: 'Postgres' })
    const result = await answered.turn?.result
    expect(result).toMatchObject({ text: 'done', run: { decision: { action: 'resume' } } })
    const got = await world().model.everything(result?.run.id ?? '')
    expect(got).toContain('remember the heron')
    expect(got).toContain('Your questions have been answered')
    expect(await world().reprise.verify()).toEqual([])
  })

  test('T-7 a permission that is given: the call runs, in one run, fresh and resumed', async () => {
    const thread = await world().thread()
    for (const name of ['first', 'second']) {
      const file = world().path(name)
      const acts = [askPermission(file, 'a line'), say('written')]
      const { turn, question } = await asked(world(), thread, `write ${name}`, acts)
      expect(question).toMatchObject({ kind: 'permission', tool: 'Bash', delivery: 'live' })
      expect(linesIn(file)).toEqual([])
      const { toolUseId, runId } = question
      const { run, turn: next } = await world().reprise.runs.answer(runId, {
        toolUseId,
        allow: true,
      })
      expect([run.id, next]).toEqual([runId, null])
      expect((await turn.result).run).toMatchObject({ id: runId, status: 'completed', turns: 2 })
      expect(linesIn(file)).toEqual(['a line'])
    }
    const [second] = await world().reprise.runs.list({ threadId: thread.id, limit: 1 })
    expect(second?.decision?.action).toBe('resume')
    expect(await world().reprise.verify()).toEqual([])
  })

  test('T-7 a permission that is refused: the call does not run, and the agent gets the reason', async () => {
    const thread = await world().thread()
    const file = world().path('refused')
    const { turn, question } = await asked(world(), thread, 'write it', [
      askPermission(file, 'a line'),
      say('left alone'),
    ])
    const { toolUseId, runId } = question
    const message = 'not on a Sunday'
    await world().reprise.runs.answer(runId, { toolUseId, allow: false, message })
    const result = await turn.result
    expect(result).toMatchObject({ text: 'left alone', run: { id: runId, status: 'completed' } })
    expect(linesIn(file)).toEqual([])
    const next = await world().turn(thread, 'and now?', ASK)
    expect(await world().model.everything(next.run.id)).toContain(message)
  })

  test('T-7 T-7a a permission whose process was killed is kept; given, the call is made and not asked again', async () => {
    const thread = await world().thread()
    const file = world().path('kept')
    const acts = [askPermission(file, 'a line'), say('written')]
    const { turn, question } = await asked(world(), thread, 'write it', acts)
    await world().killAgent(question.runId)
    await expect
      .poll(async () => (await world().reprise.questions({ state: 'open' }))[0]?.delivery)
      .toBe('restated')
    world().model.reset()
    world().model.plan(acts)
    const { toolUseId, runId } = question
    const { run } = await world().reprise.runs.answer(runId, { toolUseId, allow: true })
    expect(run).toMatchObject({ id: runId, status: 'interrupted' })
    const result = await turn.result
    expect(result).toMatchObject({ text: 'written', run: { id: run.continuedBy } })
    expect(linesIn(file)).toEqual(['a line'])
    expect(await world().model.everything(result.run.id)).toContain('You asked to use Bash')
    expect(await world().reprise.verify()).toEqual([])
  })

  test('T-7a the next run gets a permission that its process did not live to use, and does not ask for it again', async () => {
    const thread = await world().thread()
    const file = world().path('unused')
    const acts = [askPermission(file, 'a line'), say('written')]
    const { turn, question } = await asked(world(), thread, 'write it', acts)
    const agent = world().agentProcess(question.runId)
    process.kill(agent, 'SIGSTOP')
    const { toolUseId, runId } = question
    await world().reprise.runs.answer(runId, { toolUseId, allow: true })
    process.kill(agent, 'SIGKILL')
    expect((await turn.result).run).toMatchObject({ status: 'interrupted', continuedBy: null })
    expect(linesIn(file)).toEqual([])
    world().model.reset()
    world().model.plan(acts)
    const next = thread.send('go on', ASK)
    const events: string[] = []
    for await (const event of next) if (events.push(event.type) && event.type === 'question') break
    expect(events).not.toContain('question')
    expect(await next.result).toMatchObject({ text: 'written', run: { status: 'completed' } })
    expect(linesIn(file)).toEqual(['a line'])
    const got = await world().model.everything((await next.result).run.id)
    expect(got.split('You asked to use Bash')).toHaveLength(2)
    expect(await world().reprise.verify()).toEqual([])
  })

  test('T-7 a question that nobody answers in time ends its run and blocks nobody', async () => {
    await world().restart({ questions: { expireAfterMs: 0 } })
    const thread = await world().thread()
    world().model.plan([askUser(WHICH, OPTIONS)])
    const { run } = await thread.send('set it up', ASK).result
    expect(run).toMatchObject({ status: 'interrupted', failure: { class: 'unanswered' } })
    const file = world().path('late')
    world().model.plan([askPermission(file, 'a line'), say('went on')])
    const result = await thread.send('write it', ASK).result
    expect(result).toMatchObject({ text: 'went on', run: { status: 'completed' } })
    expect(linesIn(file)).toEqual([])
    expect(await world().reprise.verify()).toEqual([])
    await world().restart()
  })

  test('T-7 without anybody to ask, nothing waits: what is not permitted is refused at once', async () => {
    const thread = await world().thread()
    const file = world().path('unasked')
    const result = await world().turn(thread, 'write it', {
      acts: [askPermission(file, 'a line'), say('could not')],
    })
    expect(result).toMatchObject({ text: 'could not', run: { status: 'completed' } })
    expect(linesIn(file)).toEqual([])
    expect(world().argumentsOf(result).join(' ')).not.toContain('--permission-prompt-tool')
  })
}

/** The agent asks as in the scenarios above; what its thread keeps of that, Reprise decides. */
export function keptAnswerScenarios(world: () => Harness): void {
  test('T-7 the answer is part of the thread, and the next turn resumes', async () => {
    const thread = await world().thread()
    const { turn, question } = await asked(world(), thread, 'set it up')
    world().model.plan([say('noted')])
    const { toolUseId } = question
    await world().reprise.runs.answer(question.runId, { toolUseId, content: { [WHICH]: 'SQLite' } })
    await turn.result
    const { messages } = await thread.show()
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'set it up'],
      ['assistant', ''],
      ['user', `In answer to your question:\n"${WHICH}" SQLite`],
      ['assistant', 'noted'],
    ])
    const next = await world().turn(thread, 'go on', ASK)
    expect(next.run.decision).toMatchObject({ action: 'resume' })
    expect(next.text).toBe('echo: go on')
    expect((await world().model.everything(next.run.id)).split('noted')).toHaveLength(2)
  })

  test('T-7a a question that is cancelled is never answered by accident: the next turn goes around it', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'remember the heron', ASK)
    const { turn, question } = await asked(world(), thread, 'set it up')
    const cancelled = await world().reprise.runs.cancel(question.runId)
    expect(cancelled).toMatchObject({ status: 'cancelled' })
    expect((await turn.result).run.status).toBe('cancelled')
    const next = await world().turn(thread, 'never mind', ASK)
    expect(next.run.decision).toMatchObject({ action: 'replay' })
    expect(next.text).toBe('echo: never mind')
    const got = await world().model.everything(next.run.id)
    expect(got).toContain('remember the heron')
    expect(got).not.toContain('Tool result missing')
    expect(await world().reprise.verify()).toEqual([])
  })
}

/** What holds while a question is open is decided in the store. */
export function openQuestionScenarios(world: () => Harness): void {
  test('T-7 wrong and late answers change nothing, and say what would be right', async () => {
    const thread = await world().thread()
    const { turn, question } = await asked(world(), thread, 'set it up')
    const { toolUseId, runId } = question
    const { answer } = world().reprise.runs
    await expect(answer(runId, { toolUseId: 'toolu_other', content: 'x' })).rejects.toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining(toolUseId),
    })
    await expect(answer(runId, { toolUseId, allow: true })).rejects.toMatchObject({
      code: 'conflict',
    })
    const other = { toolUseId, content: { 'Which colour?': 'red' } }
    await expect(answer(runId, other)).rejects.toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining(WHICH),
    })
    world().model.plan([say('ok')])
    await answer(runId, { toolUseId, content: 'Postgres' })
    await expect(answer(runId, { toolUseId, content: 'SQLite' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('already answered'),
    })
    expect((await turn.result).text).toBe('ok')
  })

  test('T-7 T-10 what is sent meanwhile waits behind the question', async () => {
    const thread = await world().thread()
    const { turn, question } = await asked(world(), thread, 'set it up')
    const later = thread.send('and then?', ASK)
    await later.submitted
    world().model.plan([say('first')])
    const { toolUseId, runId } = question
    await world().reprise.runs.answer(runId, { toolUseId, content: 'Postgres' })
    expect((await turn.result).text).toBe('first')
    const last = await later.result
    expect(last.run.decision).toMatchObject({ action: 'resume' })
    const saw = (await world().saw(last)).join('\n')
    expect(saw.indexOf('first')).toBeGreaterThan(0)
    expect(saw.indexOf('first')).toBeLessThan(saw.indexOf('and then?'))
  })
}

/** Sends a turn in which the model asks, and gives the question once it is open. */
export async function asked(
  world: Harness,
  thread: Thread,
  prompt: string,
  acts: readonly Act[] = [askUser(WHICH, OPTIONS)],
): Promise<{ turn: Turn; question: Question }> {
  world.model.plan(acts)
  const turn = thread.send(prompt, ASK)
  return { turn, question: await openQuestion(world, turn) }
}

export async function openQuestion(world: Harness, turn: Turn): Promise<Question> {
  for await (const event of turn) if (event.type === 'question') break
  const { runId } = await turn.submitted
  for (let tries = 0; tries < 500; tries++) {
    const [open] = await world.reprise.questions({ state: 'open' })
    const { status } = await world.reprise.runs.get(open?.runId ?? runId)
    if (open && status === 'waiting') return open
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  throw new Error('the question did not come')
}

export function linesIn(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}
