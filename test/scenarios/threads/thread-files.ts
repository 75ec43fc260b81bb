// Scenarios of threads that leave one machine as a file and go on at another one, which has a store, a home and a work dir of its own.
import { expect, test } from 'vitest'
import type { ImportOptions } from '../../../src/api.ts'
import { append } from '../harness/acts.ts'
import { createHarness, type Harness } from '../harness/harness.ts'
import { expectReplayed, focused } from './continuing.ts'

export function threadFileScenarios(world: () => Harness): void {
  test('V-3 S24 a thread of somebody else is only data until it is approved; then its session goes on, and the model gets exactly the conversation', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one', { acts: [append(world().path('notes.txt'), 'seven')] })
    const second = await world().turn(thread, 'two')
    const file = await exported(world(), thread.id)
    await atOther(world(), async other => {
      const { threadId, imported, sessions } = await imports(other, file)
      expect({ imported, sessions }).toMatchObject({
        imported: { threadId: thread.id, signature: 'foreign', approvedAt: null },
        sessions: 1,
      })
      const arrived = await other.reprise.threads.get(threadId)
      const refused = {
        code: 'conflict',
        hint: expect.stringContaining(`threads approve ${threadId}`),
      }
      await expect(other.turn(arrived, 'three')).rejects.toMatchObject(refused)
      expect(other.spawns).toBe(0)
      await other.reprise.threads.approve(threadId)
      const third = await other.turn(arrived, 'three')
      expect(third.run).toMatchObject({ status: 'completed', sessionResumed: true })
      expect(third.run.sessionId).not.toBe(second.run.sessionId)
      expect(await other.saw(third)).toEqual([
        ...(await world().saw(second)),
        second.text,
        focused('three'),
      ])
      const fourth = await other.turn(arrived, 'four')
      expect(fourth.run).toMatchObject({ sessionResumed: true, sessionId: third.run.sessionId })
      expect(await other.reprise.verify()).toEqual([])
      // What somebody else paid is shown with the thread, and is not counted as ours.
      expect((await arrived.show()).runs).toHaveLength(4)
      const [paid] = (await other.reprise.savings('agent')).rows
      expect(paid).toMatchObject({ runs: 2 })
    })
    const after = await world().turn(thread, 'three')
    expect(after.run).toMatchObject({ sessionResumed: true, sessionId: second.run.sessionId })
  })

  test('V-3 a thread that came without its session files is replayed from what it shows', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one')
    const trustKey = await world().reprise.threads.publicKey()
    const file = await exported(world(), thread.id)
    await atOther(world(), async other => {
      const { threadId, sessions, imported } = await imports(other, file, {
        trustKey,
        sessions: false,
      })
      expect({ sessions, signature: imported.signature }).toEqual({
        sessions: 0,
        signature: 'trusted',
      })
      const next = await other.turn(await other.reprise.threads.get(threadId), 'two')
      expect(next.run.decision).toMatchObject({ action: 'replay', reason: { code: 'no-session' } })
      await expectReplayed(other, next, ['one', 'echo: one', 'two'])
    })
  })
}

async function exported(world: Harness, threadId: string): Promise<readonly Uint8Array[]> {
  return Array.fromAsync((await world.reprise.threads.export(threadId)).content)
}

function imports(other: Harness, file: readonly Uint8Array[], options: ImportOptions = {}) {
  const { workDir } = other
  return other.reprise.threads.import(stream(file), { workDir, ...options })
}

async function* stream(file: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* file
}

async function atOther(world: Harness, work: (other: Harness) => Promise<void>): Promise<void> {
  const other = await createHarness(world.kind)
  try {
    await work(other)
  } finally {
    await other.close()
  }
}
