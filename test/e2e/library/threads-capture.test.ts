import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../../src/index.ts'
import { fake } from '../../scenarios/harness/acts.ts'
import { expectReplayed, REPLAY_FORMS } from '../../scenarios/threads/continuing.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

describe.each(REPLAY_FORMS)(
  'sessions of an agent that does not do as it should (replay: %s)',
  replay => {
    const world = useHarness('fake', { replay })

    test('C-2 a session that the agent never saved is never resumed', async () => {
      const thread = await world().thread()
      const first = await world().turn(thread, 'one', { acts: [fake({ type: 'noPersistence' })] })
      expect(first.run).toMatchObject({ status: 'completed', sessionConfirmedAt: null })
      const [session] = (await thread.show()).sessions
      expect(session).toMatchObject({
        pointer: 'retired',
        retiredBecause: { code: 'never-persisted' },
      })
      const second = await world().turn(thread, 'two')
      expect(second.run.decision).toMatchObject({
        action: 'replay',
        reason: { code: 'session-retired', because: { code: 'never-persisted' } },
      })
      await expectReplayed(world(), second, ['one', 'echo: one', 'two'])
    })

    test('C-2 a turn that a session did not keep makes the session fall behind, not lie', async () => {
      const thread = await world().thread()
      await world().turn(thread, 'one')
      const lost = await world().turn(thread, 'two', { acts: [fake({ type: 'noPersistence' })] })
      expect(lost.run).toMatchObject({ status: 'completed', sessionResumed: true })
      const third = await world().turn(thread, 'three')
      expect(third.run.decision?.action).toBe('resume')
      const saw = await world().saw(third)
      expect(saw.slice(0, 2)).toEqual(['one', 'echo: one'])
      expect(saw[2]).toMatch(/two[\s\S]*echo: two[\s\S]*three$/)
    })

    test('C-2 a session that is saved only after the result is confirmed all the same', async () => {
      const thread = await world().thread()
      await world().turn(thread, 'one', { acts: [fake({ type: 'slowFlush', ms: 300 })] })
      const second = await world().turn(thread, 'two')
      expect(second.run.sessionResumed).toBe(true)
    })

    test('C-1 an agent that answers under an id of its own is known by that one', async () => {
      const thread = await world().thread()
      const first = await world().turn(thread, 'one', { acts: [fake({ type: 'wrongId' })] })
      expect(first.run.status).toBe('completed')
      const args = world().argumentsOf(first)
      expect(first.run.sessionId).not.toBe(args[args.indexOf('--session-id') + 1])
      const second = await world().turn(thread, 'two')
      expect(second.run).toMatchObject({ sessionResumed: true, sessionId: first.run.sessionId })
      expect((await world().saw(second))[0]).toBe('one')
    })

    test('C-3 F-1 a resume that is answered by another session is refused, and the other one not taken', async () => {
      const thread = await world().thread()
      const first = await world().turn(thread, 'one')
      const second = await world().turn(thread, 'two', { acts: [fake({ type: 'wrongId' })] })
      await expectReplayed(world(), second, ['one', 'echo: one', 'two'])
      const { sessions, runs } = await thread.show()
      const [, refused] = runs
      expect(refused).toMatchObject({
        sessionId: first.run.sessionId,
        failure: { class: 'resume-refused' },
        continuedBy: second.run.id,
      })
      expect(sessions.map(session => session.sessionId).toSorted()).toEqual(
        [first.run.sessionId, second.run.sessionId].toSorted(),
      )
    })

    test.each(['fresh', 'echo', 'none'] as const)(
      'C-3 C-4 a refusal that carries the %s id changes no pointer',
      async idInStream => {
        const thread = await world().thread()
        const first = await world().turn(thread, 'one')
        const refusal = fake({ type: 'refuseResume', idInStream })
        const second = await world().turn(thread, 'two', { acts: [refusal] })
        await expectReplayed(world(), second, ['one', 'echo: one', 'two'])
        const { sessions } = await thread.show()
        expect(sessions).toHaveLength(2)
        const dead = sessions.find(session => session.sessionId === first.run.sessionId)
        expect(dead).toMatchObject({
          pointer: 'retired',
          retiredBecause: { code: 'refused' },
          confirmedAt: first.run.sessionConfirmedAt,
        })
      },
    )

    test('C-6 an agent that names no session: a warning with the details, and the next turn has the transcript in its prompt', async () => {
      await world().restart({ program: 'no-session-id' })
      const thread = await world().thread()
      world().model.plan([fake({ type: 'noInit' })])
      const turn = thread.send('one')
      const events: RunEvent[] = []
      for await (const event of turn) events.push(event)
      const { run } = await turn.result
      expect(run).toMatchObject({ status: 'completed', sessionId: null })
      const warning = events.find(event => event.type === 'notice')
      expect(warning).toMatchObject({ code: 'no-session-id' })
      for (const detail of [run.id, 'claude-code', world().workDir]) {
        expect(warning?.text).toContain(detail)
      }
      const stored = await world().reprise.runs.events(run.id)
      expect(stored.map(event => event.type)).toContain('notice')
      const second = await world().turn(thread, 'two')
      expect(second.run.decision).toMatchObject({
        action: 'replay',
        reason: { code: 'no-session' },
      })
      await expectReplayed(world(), second, ['one', 'echo: one', 'two'], 'prompt')
      const third = await world().turn(thread, 'three')
      expect(third.run).toMatchObject({ sessionResumed: true, sessionId: second.run.sessionId })
      await world().restart()
    })

    test('C-1 an id that comes only after the answer is read all the same', async () => {
      await world().restart({ program: 'no-session-id' })
      const thread = await world().thread()
      const first = await world().turn(thread, 'one', { acts: [fake({ type: 'lateId' })] })
      const second = await world().turn(thread, 'two')
      await world().restart()
      expect(second.run).toMatchObject({ sessionResumed: true, sessionId: first.run.sessionId })
    })
  },
)
