// Scenarios of the session id: known before the process starts, announced while it runs, confirmed by the agent's own file.
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { say } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'

export function captureScenarios(world: () => Harness): void {
  test('C-1 C-2 C-5 C-7 the id is on record while the run is going, and confirmed once the agent has saved the turn', async () => {
    const thread = await world().thread()
    const gate = world().gate()
    world().model.plan([say('done', gate)])
    const turn = thread.send('go')
    const { runId } = await turn.submitted
    await gate.reached
    const going = await world().reprise.runs.get(runId)
    const args = world().argumentsOf({ run: going })
    expect(going).toMatchObject({ status: 'running', sessionConfirmedAt: null })
    expect(going.sessionId).toBe(args[args.indexOf('--session-id') + 1])
    const [announced] = (await thread.show()).sessions
    expect(announced).toMatchObject({ pointer: 'announced', sessionId: going.sessionId })
    gate.open()
    const { run } = await turn.result
    expect(existsSync(world().sessionFile(run.sessionId ?? ''))).toBe(true)
    const [confirmed] = (await thread.show()).sessions
    expect(confirmed).toMatchObject({ pointer: 'confirmed', confirmedAt: run.sessionConfirmedAt })
    expect(run).toMatchObject({
      sessionId: going.sessionId,
      sessionConfirmedAt: expect.any(Number),
      sessionResumed: false,
      parentRunId: null,
      tier: null,
      agent: 'claude-code',
      model: 'claude-sonnet-4-5',
      runtime: expect.stringContaining(world().path('agent-usual')),
      workDir: world().workDir,
      status: 'completed',
      exit: { code: 0, signal: null },
      costUsd: expect.any(Number),
      durationMs: expect.any(Number),
      turns: 1,
      contextTokens: expect.any(Number),
      contextWindow: 200_000,
    })
    expect(run.decision?.checks).toHaveLength(14)
    const times = [run.queuedAt, run.startedAt, run.firstEventAt, run.lastEventAt, run.endedAt]
    expect(times).toEqual(times.map(Number).toSorted((a, b) => a - b))
  })

  test('C-2 an agent killed before it answered: what it has saved is known, and continued', async () => {
    const thread = await world().thread()
    const gate = world().gate()
    world().model.plan([say('never said', gate)])
    const turn = thread.send('remember 42')
    const { runId } = await turn.submitted
    await gate.reached
    await world().killAgent(runId)
    const { run } = await turn.result
    expect(run).toMatchObject({ status: 'interrupted', answerMessageId: null })
    const next = await world().turn(thread, 'which number?')
    expect(next.run.status).toBe('completed')
    const saw = (await world().saw(next)).join('\n')
    expect(saw.split('remember 42')).toHaveLength(2)
  })
}
