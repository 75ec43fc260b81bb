// Scenarios of turns that follow each other: resume, switch of the agent, a fresh session, what makes a resume impossible.
import { mkdirSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { TurnResult } from '../../../src/api.ts'
import { FOCUS_LINE } from '../../../src/core/conversation/prompt.ts'
import type { ReplayForm } from '../../../src/core/decide/decision.ts'
import type { Harness } from '../harness/harness.ts'

/** A prompt of a resumed turn that has nothing to catch up with. */
export const focused = (text: string): string => `${FOCUS_LINE}\n\n${text}`

export function continuingScenarios(world: () => Harness): void {
  test('T-1 C-1 the second turn resumes: the session id in argv, only the new message in the prompt', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'my name is Ada')
    const second = await world().turn(thread, 'what is my name?')
    expect(second.run).toMatchObject({ status: 'completed', sessionResumed: true })
    expect(second.run.decision?.action).toBe('resume')
    const args = world().argumentsOf(second)
    expect(args).toContain('--resume')
    expect(args[args.indexOf('--resume') + 1]).toBe(first.run.sessionId)
    expect(await world().saw(second)).toEqual([
      'my name is Ada',
      'echo: my name is Ada',
      focused('what is my name?'),
    ])
    const { sessionId } = first.run
    const runs = await world().reprise.runs.list(sessionId ? { sessionId } : {})
    expect(runs.map(run => run.id)).toEqual([second.run.id, first.run.id])
  })

  test('T-1 T-6 a work dir may have any name; two names of one directory are the same', async () => {
    const odd = world().path(`späce & $HOME/${'long-'.repeat(40)}`)
    mkdirSync(odd, { recursive: true })
    const link = world().path('link')
    symlinkSync(odd, link)
    const thread = await world().reprise.threads.create({ workDir: odd })
    await world().turn(thread, 'one')
    const { run } = await world().turn(thread, 'two', { workDir: link })
    expect(run).toMatchObject({ status: 'completed', sessionResumed: true, workDir: odd })
  })
}

/** To the agent it is a second turn like any other. */
export function otherProcessScenarios(world: () => Harness): void {
  test('T-1 T-9 a new process resumes what another one began', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'before the restart')
    await world().restart()
    const again = await world().reprise.threads.get(thread.id)
    const second = await world().turn(again, 'after the restart')
    expect(second.run.decision?.action).toBe('resume')
    expect(await world().saw(second)).toEqual([
      'before the restart',
      'echo: before the restart',
      focused('after the restart'),
    ])
  })
}

/** Reprise decides to begin a new session, although the agent could continue one. */
export function newSessionScenarios(world: () => Harness): void {
  test('T-2 D-5 another agent gets the whole conversation; switching back resumes and catches up', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'said to one')
    const other = await world().turn(thread, 'said to two', { agent: 'second' })
    expect(other.run.decision).toMatchObject({ action: 'replay', reason: { code: 'no-session' } })
    await expectReplayed(world(), other, ['said to one', 'echo: said to one', 'said to two'])

    const back = await world().turn(thread, 'back to one', { agent: 'claude-code' })
    expect(back.run).toMatchObject({ sessionResumed: true, sessionId: first.run.sessionId })
    const [user, answer, prompt = '', ...none] = await world().saw(back)
    expect([user, answer, ...none]).toEqual(['said to one', 'echo: said to one'])
    expectInOrder(prompt, ['said to two', 'echo: said to two', FOCUS_LINE, 'back to one'])
    expect(prompt).not.toContain('said to one')
  })

  test('T-3 a fresh session does not resume and gets the whole conversation', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'an old matter')
    const fresh = await world().turn(thread, 'start over', { freshSession: true })
    expect(fresh.run.decision).toMatchObject({ action: 'replay', reason: { code: 'fresh-asked' } })
    expect(fresh.run.sessionId).not.toBe(first.run.sessionId)
    await expectReplayed(world(), fresh, ['an old matter', 'echo: an old matter', 'start over'])
    const next = await world().turn(thread, 'go on')
    expect(next.run).toMatchObject({ sessionResumed: true, sessionId: fresh.run.sessionId })
  })
}

/** As above, for every other cause. */
export function startingOverScenarios(world: () => Harness): void {
  newSessionScenarios(world)

  test('T-6 another work dir means a replay, and the run succeeds', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'asked here')
    const workDir = world().path('elsewhere')
    mkdirSync(workDir, { recursive: true })
    const moved = await world().turn(thread, 'asked there', { workDir })
    expect(moved.run.decision).toMatchObject({
      action: 'replay',
      reason: { code: 'directory-changed', was: world().workDir, now: workDir },
    })
    await expectReplayed(world(), moved, ['asked here', 'echo: asked here', 'asked there'])
  })

  test.each([
    ['missing', (file: string) => rmSync(file)],
    ['damaged', (file: string) => truncateSync(file, statSync(file).size >> 1)],
  ] as const)(
    'T-6 D-3 a session file that is %s, and of which there is no copy, is seen before the agent is asked',
    async (state, harm) => {
      const thread = await world().thread()
      const first = await world().turn(thread, 'asked before')
      harm(world().sessionFile(first.run.sessionId ?? ''))
      await world().loseCopies()
      const spawns = world().spawns
      const after = await world().turn(thread, 'asked after')
      expect(world().spawns - spawns).toBe(1)
      expect(after.run.decision).toMatchObject({ reason: { code: `file-${state}` } })
      await expectReplayed(world(), after, ['asked before', 'echo: asked before', 'asked after'])
    },
  )

  test('T-10 a fork of a thread goes on from its message; the original goes on as if nothing had been', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    await world().turn(thread, 'two')
    const fork = await thread.fork({ at: first.run.answerMessageId ?? '' })
    const forked = await world().turn(fork, 'in the fork')
    await expectReplayed(world(), forked, ['one', 'echo: one', 'in the fork'])
    expect((await world().saw(forked)).join('\n')).not.toContain('two')
    const original = await world().turn(thread, 'three')
    expect(await world().saw(original)).toEqual([
      'one',
      'echo: one',
      focused('two'),
      'echo: two',
      focused('three'),
    ])
  })

  test.each([
    ['elsewhere', 'runtime-changed', {}],
    ['other-version', 'runtime-changed', {}],
    ['no-resume', 'agent-cannot-resume', { form: 'prompt' }],
  ] as const)(
    'T-6 program %s: %s, so a replay, and the run succeeds',
    async (program, code, { form = world().replay }: Partial<ReplayForm>) => {
      const { id } = await world().thread()
      await world().turn(await world().reprise.threads.get(id), 'asked before')
      await world().restart({ program })
      const after = await world().turn(await world().reprise.threads.get(id), 'asked after')
      await world().restart()
      expect(after.run.decision).toMatchObject({ action: 'replay', reason: { code } })
      const texts = ['asked before', 'echo: asked before', 'asked after']
      await expectReplayed(world(), after, texts, form)
    },
  )
}

/**
 * A new session that got all this in order, the prompt last. Of form `native`, it is a session that Reprise wrote: each text is a message
 * with its role, and the prompt is the new message alone. Of form `prompt`, a transcript in its only message.
 */
export async function expectReplayed(
  world: Harness,
  turn: Pick<TurnResult, 'run'>,
  texts: readonly string[],
  form: ReplayForm['form'] = world.replay,
): Promise<void> {
  const { run } = turn
  expect(run).toMatchObject({ status: 'completed', decision: { action: 'replay', form } })
  const args = world.argumentsOf(turn)
  const saw = await world.saw(turn)
  if (form === 'prompt') {
    expect(args).not.toContain('--resume')
    expect(saw).toHaveLength(1)
    expectInOrder(saw[0] ?? '', texts)
    return
  }
  expect(args.slice(args.indexOf('--resume'))[1]).toBe(run.sessionId)
  expect(args).not.toContain('--fork-session')
  const said = await world.model.said(run.id)
  expect(said.at(-1)).toEqual({ role: 'user', text: texts.at(-1) })
  const roles = said.map(({ role }) => role).filter(role => role !== 'tool')
  expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')))
  expectInOrder(saw.join('\n'), texts)
}

/** The same scenarios with both forms of a replay. */
export const REPLAY_FORMS = ['native', 'prompt'] as const

export function expectInOrder(text: string, parts: readonly string[]): void {
  let from = 0
  for (const part of parts) {
    const at = text.indexOf(part, from)
    expect(at, `${JSON.stringify(part)} after position ${from} of ${text}`).toBeGreaterThanOrEqual(
      0,
    )
    from = at + part.length
  }
}
