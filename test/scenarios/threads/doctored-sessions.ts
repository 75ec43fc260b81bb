// Scenarios of damaged session files: Reprise repairs a copy, the agent continues the copy, and the file stays as it was.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { conversationIn } from '../../../src/adapters/claude-code/session/session-conversation.ts'
import type { RepairedSession, Thread } from '../../../src/api.ts'
import { DAMAGERS } from '../../damaged-sessions.ts'
import { append } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'

/** Each of these makes the agent lose something, hang or fail; the storms try all kinds. */
const USUAL = ['cut, and continued by the agent', 'an answer without a model', 'a link to nowhere']

export function doctoredSessionScenarios(world: () => Harness): void {
  test('V-2 the agent continues the repaired copy of a damaged session; the damaged file is never resumed and stays as it was', async () => {
    let thread = await world().thread()
    let turn = await world().turn(thread, 'the number is 7', {
      acts: [append('notes.txt', 'seven')],
    })
    const chosen = DAMAGERS.filter(
      ({ name }) => process.env.REPRISE_STORM === '1' || USUAL.includes(name),
    )
    for (const [index, { name, kinds, damage }] of chosen.entries()) {
      const session = await current(world(), turn.run.sessionId)
      expect((await world().reprise.sessions.diagnose(session)).found, name).toEqual([])
      const file = world().sessionFile(turn.run.sessionId ?? '')
      const damaged = damage(readFileSync(file, 'utf8'), count => (index * 7 + 3) % count)
      if (damaged === null) continue
      writeFileSync(file, damaged)
      // Our copy would take the place of the file.
      await world().loseCopies()
      const { found, repaired } = await world().reprise.sessions.diagnose(session, { repair: true })
      expect(
        found.some(({ kind }) => kinds.includes(kind)),
        name,
      ).toBe(true)
      expect(readFileSync(file).equals(Buffer.from(damaged)), name).toBe(true)
      expect(repaired, name).not.toBeNull()
      // A copy that lost a message in the middle is not the conversation of the thread any more.
      if (repaired?.session === null) thread = await adopted(world(), repaired)
      const before = turn.run.sessionId
      turn = await world().turn(thread, `go on after ${index}`)
      expect(turn, name).toMatchObject({
        text: expect.stringContaining(`go on after ${index}`),
        run: { status: 'completed', sessionId: repaired?.sessionId, sessionResumed: true },
      })
      expect(turn.run.sessionId).not.toBe(before)
      expect(readFileSync(file).equals(Buffer.from(damaged)), name).toBe(true)
    }
  })
}

/** Our id of the session that the agent calls so. */
async function current({ reprise }: Harness, sessionId: string | null): Promise<string> {
  const sessions = await reprise.sessions.list()
  const found = sessions.find(session => session.sessionId === sessionId)
  if (found) return found.id
  throw new Error(`There is no session ${sessionId}`)
}

async function adopted(world: Harness, { sessionId, path }: RepairedSession): Promise<Thread> {
  const messages = conversationIn(readFileSync(path, 'utf8'))
  return world.reprise.adopt({ sessionId, workDir: world.workDir, messages })
}
