import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { GUARDS } from '../../../src/core/decide/decision.ts'
import { say } from '../../scenarios/harness/acts.ts'
import { expectReplayed, REPLAY_FORMS } from '../../scenarios/threads/continuing.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

describe.each(REPLAY_FORMS)('decisions of a thread (replay: %s)', replay => {
  const world = useHarness('fake', { replay })

  test('D-1 every decision carries every guard in order; all but a resume name their reason', async () => {
    const thread = await world().thread()
    const turns = [
      await world().turn(thread, 'one'),
      await world().turn(thread, 'two'),
      await world().turn(thread, 'three', { freshSession: true }),
    ]
    for (const { run } of turns) {
      expect(run.decision?.checks.map(check => check.guard)).toEqual(GUARDS)
      for (const check of run.decision?.checks ?? []) {
        if (check.result === 'pass') expect(check.saw).not.toBe('')
        else expect(check).toHaveProperty(check.result === 'block' ? 'reason' : 'question')
      }
    }
    const reasons = turns.map(({ run }) => run.decision && 'reason' in run.decision)
    expect(reasons).toEqual([true, false, true])
  })

  test('D-6 the threshold of the environment decides and is in the run’s record', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    expect(first.run.resumeSettings?.contextThreshold).toBe(0.8)
    for (const name of ['REPRISE_RESUME_CONTEXT_THRESHOLD', 'CLAUDEOPS_RESUME_CONTEXT_THRESHOLD']) {
      await world().restart({ environment: { [name]: '0.01' }, resume: { contextThreshold: 0.9 } })
      const again = await world().reprise.threads.get(thread.id)
      const full = await world().turn(again, `with ${name}`)
      expect(full.run.resumeSettings?.contextThreshold).toBe(0.01)
      expect(full.run.decision).toMatchObject({
        action: 'replay',
        reason: { code: 'context-full', window: 200_000, threshold: 0.01 },
      })
      await expectReplayed(world(), full, ['one', 'echo: one', `with ${name}`])
    }
    await world().restart()
  })

  test('D-6 a session is as full as its last request, not as all of them together', async () => {
    const thread = await world().thread()
    const turns = []
    for (const text of ['one', 'two', 'three']) turns.push(await world().turn(thread, text))
    const last = turns.at(-1)?.run
    const { usage } = last ?? turns[0]?.run ?? { usage: null }
    const sum = usage
      ? usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens
      : 0
    expect(last?.contextTokens).toBe(sum)
    const [session] = (await thread.show()).sessions
    expect(session).toMatchObject({ contextTokens: sum, contextWindow: 200_000 })
  })

  test('D-6 a threshold that is no share is refused with what to do', async () => {
    const environment = { REPRISE_RESUME_CONTEXT_THRESHOLD: '80%' }
    await world().restart({ environment })
    await expect(world().reprise.threads.list()).rejects.toMatchObject({
      code: 'bad-config',
      message: expect.stringContaining('80%'),
      hint: expect.stringContaining('0.8'),
    })
    await world().restart()
  })

  test('D-7 a preview runs nothing, stores nothing, and is what then happens', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one')
    const before = await thread.show()
    const spawns = world().spawns
    const plain = await thread.preview()
    const fresh = await thread.preview({ freshSession: true })
    const other = await thread.preview({ agent: 'second' })
    expect(world().spawns).toBe(spawns)
    expect(await thread.show()).toEqual(before)
    expect(plain.decision.action).toBe('resume')
    expect(fresh.decision).toMatchObject({ action: 'replay', reason: { code: 'fresh-asked' } })
    expect(other.decision).toMatchObject({ action: 'replay', reason: { code: 'no-session' } })
    const { run } = await world().turn(thread, 'two')
    const saw = (checks: typeof plain.decision.checks) =>
      checks.map(({ guard, result }) => [guard, result])
    expect(run.decision?.action).toBe(plain.decision.action)
    expect(saw(run.decision?.checks ?? [])).toEqual(saw(plain.decision.checks))
  })

  test('D-7 a stored decision can be asked again under other settings, and said in words', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one')
    const { run } = await world().turn(thread, 'two')
    const spawns = world().spawns
    const as = await world().reprise.runs.why(run.id)
    expect(as.decision).toEqual(run.decision)
    expect(as.words).toBe("The agent's own session was resumed; it got only what it had not seen.")
    const never = await world().reprise.runs.why(run.id, { mode: 'never' })
    expect(never.decision).toMatchObject({ action: 'replay', reason: { code: 'resume-off' } })
    const how =
      replay === 'native'
        ? 'A new session was written with the conversation so far and continued; the prompt was the new message alone'
        : 'A new session was started with the transcript in front of the prompt'
    expect(never.words).toBe(`${how}: resuming is switched off (resume.mode: never).`)
    expect(never.checks.filter(({ cause }) => cause)).toMatchObject([
      { check: { guard: 'resume-enabled', result: 'block' } },
    ])
    const narrow = await world().reprise.runs.why(run.id, { contextThreshold: 0.001 })
    expect(narrow.words).toMatch(/the session holds \d+ tokens, over 0\.1 % of the model's 200000/)
    expect(world().spawns).toBe(spawns)
    expect((await world().reprise.runs.get(run.id)).decision).toEqual(run.decision)
  })

  test('D-7 a run that has not started has nothing to explain yet', async () => {
    const thread = await world().thread()
    const gate = world().gate()
    world().model.plan([say('one', gate)])
    const first = thread.send('one')
    await gate.reached
    const second = thread.send('two')
    const { runId } = await second.submitted
    await expect(world().reprise.runs.why(runId)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('queued'),
    })
    gate.open()
    await Promise.all([first.result, second.result])
  })

  test('D-8 resume mode never: every turn is replayed', async () => {
    await world().restart({ resume: { mode: 'never' } })
    const thread = await world().thread()
    await world().turn(thread, 'one')
    const second = await world().turn(thread, 'two')
    await world().restart()
    expect(second.run.decision).toMatchObject({ reason: { code: 'resume-off' } })
    await expectReplayed(world(), second, ['one', 'echo: one', 'two'])
  })

  test('T-9 without a single session row the thread is whole and is replayed', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one')
    await world().turn(thread, 'two')
    const before = (await thread.show()).messages
    await world().reprise.close()
    const database = new Database(world().path('reprise.db'))
    database.pragma('foreign_keys = on')
    database.exec('delete from sessions')
    database.close()
    await world().restart()
    const again = await world().reprise.threads.get(thread.id)
    const { messages, sessions } = await again.show()
    expect(messages).toEqual(before)
    expect(sessions).toEqual([])
    const third = await world().turn(again, 'three')
    expect(third.run.decision).toMatchObject({ action: 'replay', reason: { code: 'no-session' } })
    await expectReplayed(world(), third, ['one', 'echo: one', 'two', 'echo: two', 'three'])
    expect(await world().reprise.verify()).toEqual([])
  })
})
