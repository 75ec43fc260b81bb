import { describe, expect, test } from 'vitest'
import { append, fake, say } from '../../scenarios/harness/acts.ts'
import { expectReplayed } from '../../scenarios/threads/continuing.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

describe('fallbacks of a thread', () => {
  const world = useHarness('fake')
  const crash = fake({ type: 'exit', code: 3, withoutResult: true })

  test('F-4 two resumes in a row that fail retire the session, whatever was said', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    const pointer = async () =>
      (await thread.show()).sessions.find(({ sessionId }) => sessionId === first.run.sessionId)
    const second = await world().turn(thread, 'two', { acts: [crash] })
    expect(second.run).toMatchObject({ status: 'interrupted', failure: { class: 'agent-crashed' } })
    expect(await pointer()).toMatchObject({ pointer: 'confirmed', failedResumes: 1 })
    const third = await world().turn(thread, 'three', { acts: [crash] })
    expect(third.run.decision?.action).toBe('resume')
    expect(await pointer()).toMatchObject({
      pointer: 'retired',
      retiredBecause: { code: 'failed-twice' },
    })
    const fourth = await world().turn(thread, 'four')
    expect(fourth.run.decision).toMatchObject({
      action: 'replay',
      reason: { code: 'session-retired', because: { code: 'failed-twice' } },
    })
    await expectReplayed(world(), fourth, ['one', 'echo: one', 'two', 'three', 'four'])
  })

  test('F-4 a success between two failures keeps the session', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    for (const acts of [[crash], undefined, [crash], undefined]) {
      await world().turn(thread, 'more', acts ? { acts } : {})
    }
    const [session] = (await thread.show()).sessions
    expect(session).toMatchObject({ pointer: 'confirmed', sessionId: first.run.sessionId })
  })

  test('F-2 a replay that fails too ends the turn: there is no third run', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one')
    world().model.plan([fake({ type: 'refuseResume' })])
    world().model.plan([crash])
    const spawns = world().spawns
    const { run } = await world().turn(thread, 'two')
    expect(world().spawns - spawns).toBe(2)
    expect(run).toMatchObject({ status: 'interrupted', continuedBy: null })
    expect(run.decision).toMatchObject({ action: 'replay', reason: { code: 'resume-refused' } })
  })

  test('F-3 a session refused after a tool ran is not repeated', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one')
    const file = world().path('once')
    const spawns = world().spawns
    const { run } = await world().turn(thread, 'two', {
      acts: [fake({ type: 'noInit' }), append(file, 'x'), fake({ type: 'refuseResume' })],
    })
    expect(world().spawns - spawns).toBe(1)
    expect(run).toMatchObject({ status: 'failed', continuedBy: null, failure: { toolsRan: 1 } })
    const next = await world().turn(thread, 'three')
    expect(next.run.status).toBe('completed')
    expect((await world().saw(next)).join('\n')).toContain('Bash')
  })

  test.each([
    [
      'exit code 0 without a result',
      [fake({ type: 'exit', code: 0, withoutResult: true })],
      'no-result',
    ],
    ['a signal', [fake({ type: 'killSelf', signal: 'SIGSEGV' })], 'agent-crashed'],
    ['too many turns', [fake({ type: 'maxTurns' })], 'max-turns'],
    ['a usage limit', [fake({ type: 'usageLimit', resetsAt: 2_000_000_000 })], 'usage-limit'],
  ] as const)('H-3 %s is no success', async (_, acts, failure) => {
    const thread = await world().thread()
    const { run } = await world().turn(thread, 'go', { acts })
    expect(run.status).not.toBe('completed')
    expect(run.failure).toMatchObject({ class: failure, hint: expect.stringMatching(/\w/) })
    const next = await world().turn(thread, 'again')
    expect(next.run.status).toBe('completed')
    expect((await world().saw(next)).join('\n').split('go')).toHaveLength(2)
  })

  test('H-3 a result is a success whatever the exit code, and output is read to its end', async () => {
    const thread = await world().thread()
    const acts = [
      fake({ type: 'bannerLine', text: 'Welcome!' }),
      fake({ type: 'unknownEvents' }),
      say('the answer'),
      fake({ type: 'twoResults' }),
      fake({ type: 'exit', code: 7 }),
    ]
    const { run, text } = await world().turn(thread, 'go', { acts })
    expect(run).toMatchObject({ status: 'completed', exit: { code: 7 } })
    expect(text).toBe('the answer')
  })
})

describe('a transcript', () => {
  const world = useHarness('fake', { replay: 'prompt' })

  test('F-6 says what tools did: shortened, without secrets, without stale results', async () => {
    const thread = await world().thread()
    const key = `sk-ant-${'a1'.repeat(12)}`
    const read = { type: 'tool', name: 'Read', input: { file: 'state' } } as const
    await world().turn(thread, 'one', {
      acts: [
        fake({ ...read, result: 'the old state' }),
        fake({ type: 'tool', name: 'Bash', input: { command: `login ${key}` }, result: 'welcome' }),
        fake({ type: 'tool', name: 'Grep', input: {}, result: 'no such file', isError: true }),
        fake({ type: 'tool', name: 'Glob', input: {}, result: `a${'b'.repeat(5_000)}c` }),
        fake({ ...read, result: 'the new state' }),
        say('all done'),
      ],
    })
    const fresh = await world().turn(thread, 'two', { freshSession: true })
    await expectReplayed(world(), fresh, ['one', 'all done', 'Read', '(ran again later)', 'two'])
    const [prompt = ''] = await world().saw(fresh)
    expect(prompt).toMatch(/tool Read \(gave a result\)\n\{"file":"state"\}\nthe new state/)
    expect(prompt).not.toContain('the old state')
    expect(prompt).toMatch(/tool Grep \(failed\)\n\{\}\nno such file/)
    expect(prompt).toMatch(/\nab+… \(\d+ characters left out\) …b+…/)
    expect(prompt).not.toContain(key)
    expect(prompt).toContain('login [redacted]')
  })

  test('F-6 that does not fit begins with a line that says what was left out', async () => {
    const thread = await world().thread()
    const long = (mark: string) => `${mark} ${'word '.repeat(50_000)}`
    await world().turn(thread, long('oldest'), { acts: [say('short')] })
    await world().turn(thread, long('middle'), { acts: [say('short')] })
    await world().turn(thread, 'newest', { acts: [say('short')] })
    const fresh = await world().turn(thread, 'and now?', { freshSession: true })
    const [prompt = ''] = await world().saw(fresh)
    expect(prompt.length).toBeLessThan(200_000 * 2.4)
    expect(prompt).toMatch(/\(The oldest \d messages?, about \d+ characters, are left out/)
    expect(prompt).not.toContain('oldest word')
    expect(prompt).toContain('newest')
    expect(prompt.endsWith('and now?')).toBe(true)
  })
})
