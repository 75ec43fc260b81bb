// Scenarios of sessions that hold more than the thread: somebody went on with them, or our records are older than they are.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { TurnResult } from '../../../src/index.ts'
import { call, say } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { expectInOrder, expectReplayed, focused } from './continuing.ts'

export function foreignTurnScenarios(world: () => Harness): void {
  test('D-9 a session that somebody resumed by hand is forked at the last shared answer; why says so', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    await resumeByHand(world(), first, 'said in secret')
    const preview = await thread.preview()
    expect(preview.words).toContain('the session holds 2 messages that this thread does not know')
    const after = await world().turn(thread, 'two')
    await expectForked(world(), after, { from: first, texts: ['one', 'echo: one', focused('two')] })
    expect(await world().saw(after)).toEqual(['one', 'echo: one', focused('two')])
    const next = await world().turn(thread, 'three')
    expect(next.run.decision?.action).toBe('resume')
    expect(next.run.sessionId).toBe(after.run.sessionId)
  })

  test('D-9 a branch that took the place of ours is forked where it still shares an answer', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    await world().turn(thread, 'two')
    const [shared = ''] = answersIn(world().sessionFile(first.run.sessionId ?? ''))
    await resumeByHand(world(), first, 'said in secret', ['--resume-session-at', shared])
    const after = await world().turn(thread, 'three')
    expect(after.run.decision).toMatchObject({ action: 'fork', at: shared, catchUpFrom: 2 })
    await expectForked(world(), after, {
      from: first,
      texts: ['one', 'echo: one', 'two', 'echo: two', 'three'],
    })
  })

  test('D-9 a foreign turn between our decision and our prompt is noticed afterwards: the next turn forks before it', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    const file = world().sessionFile(first.run.sessionId ?? '')
    const ours = readFileSync(file)
    await resumeByHand(world(), first, 'said in secret')
    writeFileSync(`${file}.foreign`, readFileSync(file).subarray(ours.length))
    writeFileSync(file, ours)
    world().programs.beforeNextStart(`cat '${file}.foreign' >> '${file}'`)
    const second = await world().turn(thread, 'two')
    expect(second.run.decision?.action).toBe('resume')
    expect((await world().saw(second)).join('\n')).toContain('in secret')
    const after = await world().turn(thread, 'three')
    await expectForked(world(), after, {
      from: second,
      texts: ['one', 'echo: one', 'two', 'echo: two', 'three'],
    })
  })
}

/** To the agent, these are files as in the scenarios above. */
export function foreignFileScenarios(world: () => Harness): void {
  test('D-9 records that are older than the session do not resume it: yesterday’s data directory', async () => {
    const { id } = await world().thread()
    const first = await world().turn(await world().reprise.threads.get(id), 'one')
    await world().reprise.close()
    await world().store.keep()
    // With a store in PostgreSQL nothing may have been written there yet.
    mkdirSync(world().path('data'), { recursive: true })
    cpSync(world().path('data'), world().path('yesterday'), { recursive: true })
    await world().restart()
    await world().turn(await world().reprise.threads.get(id), 'said in secret')
    await world().reprise.close()
    await world().store.goBack()
    rmSync(world().path('data'), { recursive: true })
    cpSync(world().path('yesterday'), world().path('data'), { recursive: true })
    await world().restart()
    const after = await world().turn(await world().reprise.threads.get(id), 'two')
    await expectForked(world(), after, { from: first, texts: ['one', 'echo: one', focused('two')] })
  })

  test('D-9 V-1 a file with foreign turns that lacks ours gives way to our copy', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    const file = world().sessionFile(first.run.sessionId ?? '')
    await resumeByHand(world(), first, 'said in secret')
    cpSync(file, `${file}.foreign`)
    rmSync(file)
    await world().turn(thread, 'two')
    cpSync(`${file}.foreign`, file)
    const after = await world().turn(thread, 'three')
    // What we know of is missing in that file; our own copy takes its place.
    expect(after.run.decision?.action).toBe('resume')
    expect((await world().saw(after)).join('\n')).not.toContain('in secret')
  })

  test('D-9 a session that shares no answer is replayed', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one', { acts: [{ does: 'fail', status: 400 }] })
    expect(first.run.status).toBe('failed')
    await resumeByHand(world(), first, 'said in secret')
    const after = await world().turn(thread, 'two')
    expect(after.run.decision).toMatchObject({
      action: 'replay',
      reason: { code: 'foreign-turns' },
    })
    await expectReplayed(world(), after, ['one', 'two'])
    expect((await world().saw(after)).join('\n')).not.toContain('in secret')
  })
}

/** Only a real agent goes on by itself after its answer. */
export function ownGrowthScenarios(world: () => Harness): void {
  test('D-9 what our own run left after its answer is not foreign: a background task', async () => {
    const thread = await world().thread()
    const input = { command: 'sleep 1', description: 'wait', run_in_background: true }
    const acts = [call('Bash', input), say('started it'), say('it is done')]
    await world().turn(thread, 'in the background', { acts, allowedTools: ['Bash'] })
    const after = await world().turn(thread, 'go on')
    expect(after.run.decision?.action).toBe('resume')
    expect((await world().saw(after)).join('\n')).toContain('it is done')
  })
}

async function expectForked(
  world: Harness,
  after: TurnResult,
  { from, texts }: { readonly from: TurnResult; readonly texts: readonly string[] },
): Promise<void> {
  expect(after.run).toMatchObject({ status: 'completed', sessionResumed: true })
  expect(after.run.decision).toMatchObject({
    action: 'fork',
    reason: { code: 'foreign-turns', messages: 2 },
  })
  expect(after.run.sessionId).not.toBe(from.run.sessionId)
  const saw = (await world.saw(after)).join('\n')
  expect(saw).not.toContain('in secret')
  expectInOrder(saw, texts)
}

/** As a user in a terminal would. */
async function resumeByHand(
  world: Harness,
  { run }: TurnResult,
  prompt: string,
  more: readonly string[] = [],
): Promise<void> {
  const args = ['--print', '--model', 'haiku', '--resume', run.sessionId ?? '', ...more]
  const env = {
    PATH: process.env.PATH ?? '',
    ...world.model.env,
    CLAUDE_CONFIG_DIR: world.path('home/.claude'),
    REPRISE_RUN_ID: `by-hand-of-${run.id}`,
  }
  const program = await world.programs.path('usual')
  const agent = spawn(program, args, { cwd: world.workDir, env })
  agent.stdout.resume()
  agent.stdin.end(prompt)
  const [code] = await once(agent, 'close')
  expect(code).toBe(0)
}

/** The agent's ids of its answers, in order. */
function answersIn(file: string): readonly string[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines
    .map(line => JSON.parse(line))
    .flatMap(({ type, uuid }) => (type === 'assistant' ? uuid : []))
}
