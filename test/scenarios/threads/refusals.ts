// Scenarios of a resume that the agent refuses: one more run that replays, never a blind repetition.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { RunEvent, Thread, TurnResult } from '../../../src/index.ts'
import { append, fail } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { expectReplayed } from './continuing.ts'

export function refusalScenarios(world: () => Harness): void {
  test('F-1 F-2 F-5 T-6 a refused resume runs once more as a replay; the user sees one turn and the reason', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'the number is 7')
    loseSession(world(), first)
    const spawns = world().spawns
    const turn = thread.send('which number?')
    const events: RunEvent[] = []
    for await (const event of turn) events.push(event)
    const { run, text, messageId } = await turn.result
    expect(world().spawns - spawns).toBe(2)
    expect(text).toBe('echo: which number?')
    expect(run.decision).toMatchObject({ action: 'replay', reason: { code: 'resume-refused' } })
    await expectReplayed(world(), { run }, ['the number is 7', 'which number?'])

    const { messages, runs } = await thread.show()
    expect(messages.map(message => message.text)).toEqual([
      'the number is 7',
      'echo: the number is 7',
      'which number?',
      'echo: which number?',
    ])
    const [, refused, second] = runs
    expect(runs).toHaveLength(3)
    expect(refused).toMatchObject({
      status: 'failed',
      continuedBy: run.id,
      sessionResumed: false,
      promptMessageId: messageId,
      failure: { class: 'resume-refused', toolsRan: 0 },
    })
    expect(second).toMatchObject({ id: run.id, parentRunId: refused?.id, continuedBy: null })
    const ends = events.flatMap(event => (event.type === 'ended' ? event.continuedBy : []))
    expect(ends).toEqual([run.id, null])
    const fallback = events.find(event => event.type === 'fallback')
    expect(fallback).toMatchObject({ runId: refused?.id, nextRunId: run.id })
    const isWritten = world().replay === 'native'
    const brought = isWritten ? 'that is written with the conversation' : 'with the transcript'
    expect(fallback?.words).toContain(`the turn goes on in a new session ${brought}`)
    const [opening] = await world().saw({ run })
    expect(opening).toMatch(
      isWritten
        ? /^the number is 7$/
        : /^Your earlier session could not be continued \(the agent refused to continue session .*\)\. This is the transcript/,
    )
    const { words } = await world().reprise.runs.why(run.id)
    expect(words).toContain(`refused to continue session ${first.run.sessionId}`)
  })

  test('F-1 a fork whose session is gone runs once more as a replay', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    await world().turn(thread, 'two')
    await thread.truncate((await thread.show()).messages[2]?.id ?? '')
    loseSession(world(), first)
    const spawns = world().spawns
    const after = await world().turn(thread, 'other')
    expect(world().spawns - spawns).toBe(2)
    await expectReplayed(world(), after, ['one', 'echo: one', 'other'])
    const { runs } = await thread.show()
    expect(runs.at(-2)?.decision?.action).toBe('fork')
  })

  test('F-1 a fork whose anchor is gone does not retire the session', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    await world().turn(thread, 'two')
    await thread.truncate((await thread.show()).messages[2]?.id ?? '')
    const file = world().sessionFile(first.run.sessionId ?? '')
    const { decision } = await thread.preview()
    const anchor = decision.action === 'fork' ? decision.at : 'none'
    const other = '00000000-0000-4000-8000-000000000000'
    world().programs.beforeNextStart(`sed -i 's/${anchor}/${other}/g' '${file}'`)
    const after = await world().turn(thread, 'other')
    await expectReplayed(world(), after, ['one', 'echo: one', 'other'])
    const { runs, sessions } = await thread.show()
    expect(runs.at(-2)?.failure?.class).toBe('anchor-missing')
    const kept = sessions.find(session => session.sessionId === first.run.sessionId)
    expect(kept).toMatchObject({ pointer: 'confirmed', retiredBecause: null })
  })

  test('F-3 when tools ran, nothing is repeated; the turn is reported and can be continued', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'hello')
    const file = world().path('effects')
    const spawns = world().spawns
    const failed = await world().turn(thread, 'do it', {
      acts: [append(file, 'done'), fail(400)],
      allowedTools: ['Bash'],
    })
    expect(world().spawns - spawns).toBe(1)
    expect(failed.run).toMatchObject({
      status: 'failed',
      continuedBy: null,
      failure: { class: 'bad-request', toolsRan: 1 },
    })
    expect(readFileSync(file, 'utf8')).toBe('done\n')
    const answer = (await thread.show()).messages.at(-1)
    expect(answer).toMatchObject({ role: 'assistant', interrupted: true })
    expect(answer?.tools).toHaveLength(1)
    await expectContinues(world(), thread)
    expect(readFileSync(file, 'utf8')).toBe('done\n')
  })
}

/** The agent refuses as it does any session that is gone. */
export function retiredSessionScenarios(world: () => Harness): void {
  test('C-3 C-4 the dead id neither comes back nor is confirmed again: the session is retired', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'before')
    loseSession(world(), first)
    const after = await world().turn(thread, 'after')
    expect(after.run.sessionId).not.toBe(first.run.sessionId)
    const { sessions } = await thread.show()
    const [dead, alive] = [first, after].map(({ run }) =>
      sessions.find(session => session.sessionId === run.sessionId),
    )
    expect(sessions).toHaveLength(2)
    expect(dead).toMatchObject({ pointer: 'retired', retiredBecause: { code: 'refused' } })
    expect(dead?.confirmedAt).toBe(first.run.sessionConfirmedAt)
    expect(alive).toMatchObject({ pointer: 'confirmed', retiredBecause: null })
    const next = await world().turn(thread, 'next')
    expect(next.run).toMatchObject({ sessionResumed: true, sessionId: after.run.sessionId })
  })
}

/** The session file goes after the decision and before the agent looks for it. */
function loseSession(world: Harness, { run }: TurnResult): void {
  const file = world.sessionFile(run.sessionId ?? '')
  world.programs.beforeNextStart(`mv '${file}' '${file}.lost'`)
}

async function expectContinues(world: Harness, thread: Thread): Promise<void> {
  const next = await world.turn(thread, 'go on')
  expect(next.run.status).toBe('completed')
  expect((await world.saw(next)).join('\n')).toContain('effects')
  expect(next.text).toBe('echo: go on')
}
