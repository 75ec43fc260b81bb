// Scenarios of a history that changes: edits, retries, truncation, the two views, what a session may still be used for.
import { expect, test } from 'vitest'
import type { Message, Thread } from '../../../src/index.ts'
import type { Harness } from '../harness/harness.ts'
import { expectInOrder, expectReplayed, focused } from './continuing.ts'

export function forkScenarios(world: () => Harness): void {
  test('T-4 D-4 an edit of a later prompt forks at the last shared answer', () =>
    editForks(world(), [2, 'two, edited'], ['two, edited', 'echo: two', 'three']))
}

/** The agent forks here as it does after any edit. */
export function otherForkScenarios(world: () => Harness): void {
  test('T-4 D-4 an edit of a later answer forks at the last shared answer', () =>
    editForks(world(), [3, 'another answer'], ['two', 'another answer', 'three']))

  test('T-4 a retry asks again without what followed', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one')
    await world().turn(thread, 'two')
    await world().turn(thread, 'three')
    const again = await thread.retry(await at(thread, 2)).result
    expect(again.run.decision).toMatchObject({ action: 'fork', catchUpFrom: 2 })
    expect(await world().saw(again)).toEqual(['one', 'echo: one', focused('two')])
    const texts = (await messages(thread)).map(message => message.text)
    expect(texts).toEqual(['one', 'echo: one', 'two', 'echo: two'])
  })
}

export function editedBeginningScenarios(world: () => Harness): void {
  test('T-4 an edit of the first message is replayed: the session shares nothing with the thread', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'the key is red')
    await world().turn(thread, 'remember it')
    await thread.edit(await at(thread, 0), 'the key is blue')
    const after = await world().turn(thread, 'which key?')
    expect(after.run.decision).toMatchObject({
      action: 'replay',
      reason: { code: 'history-changed', shared: 0, seen: 4 },
    })
    const texts = ['the key is blue', 'echo: the key is red', 'remember it', 'which key?']
    await expectReplayed(world(), after, texts)
    expect(['', ...(await world().saw(after))].join('\n')).not.toContain('\nthe key is red')
  })
}

/** Reprise compares the thread with its session; the agent only gets what follows from that. */
export function historyScenarios(world: () => Harness): void {
  editedBeginningScenarios(world)

  test('T-4 D-4 an edit that is undone resumes the session as if nothing had been', async () => {
    const thread = await world().thread()
    const one = await world().turn(thread, 'as it was')
    const edited = await thread.edit(await at(thread, 0), 'as it never was')
    await thread.edit(edited.id, 'as it was')
    const after = await world().turn(thread, 'go on')
    expect(after.run).toMatchObject({ sessionResumed: true, sessionId: one.run.sessionId })
    expect(await world().saw(after)).toEqual(['as it was', 'echo: as it was', focused('go on')])
  })

  test('T-4 a retry of an answer asks its prompt again, with other words if given', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one')
    await world().turn(thread, 'two')
    const again = await thread.retry(await at(thread, -1), { text: 'two, better' }).result
    expect(await world().saw(again)).toEqual(['one', 'echo: one', focused('two, better')])
  })

  test('T-4 a retry of the first message starts over', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one')
    const again = await thread.retry(await at(thread, 0)).result
    expect(again.run.decision).toMatchObject({ action: 'start', reason: { code: 'first-turn' } })
    expect(await world().saw(again)).toEqual(['one'])
  })

  test('T-4 what was cut off is not known any more', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one')
    await world().turn(thread, 'two')
    await thread.truncate(await at(thread, 2))
    const after = await world().turn(thread, 'other')
    expect(after.run.decision).toMatchObject({ action: 'fork', catchUpFrom: 2 })
    expect(await world().saw(after)).toEqual(['one', 'echo: one', focused('other')])
  })

  test('T-5 D-5 view own: the content of the foreign boundary may change, the session is resumed', async () => {
    const thread = await ownThread(world())
    await thread.edit(await at(thread, 1), 'a foreign answer, edited')
    const after = await world().turn(thread, 'and on')
    expect(after.run.decision?.action).toBe('resume')
    expect(await world().saw(after)).toEqual(['mine', 'echo: mine', focused('and on')])
  })

  test.each(['retry', 'truncate'] as const)(
    'T-5 D-5 view own: %s at the foreign boundary does not resume',
    async how => {
      const thread = await ownThread(world())
      const before = await messages(thread)
      if (how === 'truncate') await thread.truncate(await at(thread, 1))
      const after =
        how === 'retry'
          ? await thread.retry(await at(thread, 1), { agent: 'claude-code' }).result
          : await world().turn(thread, 'and on')
      expect(after.run.status).toBe('completed')
      expect(['start', 'replay']).toContain(after.run.decision?.action)
      expect(JSON.stringify(await world().saw(after))).not.toContain('mine')
      expect(before.map(message => message.text)).toContain('mine')
    },
  )
}

async function editForks(
  world: Harness,
  [index, text]: readonly [number, string],
  caughtUp: readonly string[],
): Promise<void> {
  const thread = await world.thread()
  const one = await world.turn(thread, 'one')
  await world.turn(thread, 'two')
  await world.turn(thread, 'three')
  await thread.edit(await at(thread, index), text)
  const after = await world.turn(thread, 'four')
  expect(after.run.decision).toMatchObject({
    action: 'fork',
    session: { sessionId: one.run.sessionId },
    catchUpFrom: 2,
  })
  expect(after.run.sessionId).not.toBe(one.run.sessionId)
  const args = world.argumentsOf(after)
  expect(args).toEqual(expect.arrayContaining(['--fork-session', '--resume-session-at']))
  const [first, answer, prompt = '', ...none] = await world.saw(after)
  expect([first, answer, ...none]).toEqual(['one', 'echo: one'])
  expectInOrder(prompt, [...caughtUp, 'echo: three', 'four'])
  const next = await world.turn(thread, 'five')
  expect(next.run).toMatchObject({ sessionResumed: true, sessionId: after.run.sessionId })
  expect((await world.saw(next)).slice(-2)).toEqual(['echo: four', focused('five')])
}

const messages = async (thread: Thread): Promise<readonly Message[]> =>
  (await thread.show()).messages

async function at(thread: Thread, index: number): Promise<string> {
  const message = (await messages(thread)).at(index)
  if (message) return message.id
  throw new Error(`The thread has no message ${index}`)
}

/** A thread of view `own`: a turn of another agent, then one of ours. */
async function ownThread(world: Harness): Promise<Thread> {
  const thread = await world.thread({ view: 'own' })
  await world.turn(thread, 'asked the other', { agent: 'second' })
  const mine = await world.turn(thread, 'mine', { agent: 'claude-code' })
  expect(await world.saw(mine)).toEqual(['mine'])
  return thread
}
