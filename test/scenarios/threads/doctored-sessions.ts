// Scenarios of damaged session files: Reprise repairs a copy, the agent continues the copy, and the file stays as it was.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { conversationIn } from '../../../src/adapters/claude-code/session/session-conversation.ts'
import type { RepairedSession, Thread } from '../../../src/api.ts'
import { NO_USAGE } from '../../../src/core/run/events.ts'
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
      expect(repaired, name).toMatchObject({ proof: { state: 'resumed' } })
      expectNothingPaid(world())
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

/** The process that proved the copy. */
function expectNothingPaid({ programs, model }: Harness): void {
  const runId = programs.starts().at(-1)?.runId ?? ''
  expect(runId).toMatch(/^prf_/)
  expect(model.bill({ id: runId, usage: NO_USAGE, model: null }).requests).toBe(0)
}

/** These also run on the fake agent. */
export function provenCopyScenarios(world: () => Harness): void {
  test('V-2 the repaired copy is resumed on the agent without a prompt, which changes no file', async () => {
    const { thread, session, file } = await damaged(world())
    const before = sessionsBeside(file)
    const { repaired } = await world().reprise.sessions.diagnose(session, { repair: true })
    const version = (await world().reprise.agents())[0]?.version
    expect(repaired?.proof).toEqual({ state: 'resumed', version })
    expect(world().programs.starts().at(-1)?.args).toEqual(
      expect.arrayContaining(['--resume', repaired?.sessionId, '--fork-session']),
    )
    // A start without a prompt leaves the copy as it was written, and no file of the fork.
    expect(sessionsBeside(file)).toEqual([...before, repaired?.path].toSorted())
    expect(
      readFileSync(repaired?.path ?? '', 'utf8')
        .trimEnd()
        .split('\n'),
    ).toHaveLength((repaired?.lines.kept ?? 0) + (repaired?.lines.changed ?? 0))
    const { run: next } = await world().turn(thread, 'which number?')
    expect(next).toMatchObject({ sessionId: repaired?.sessionId, sessionResumed: true })
  })

  test('V-2 a copy that the agent refuses is removed; the repair fails, the file stays as it was and the thread goes on with the transcript', async () => {
    const { thread, session, file } = await damaged(world())
    const [text, before] = [readFileSync(file), sessionsBeside(file)]
    const known = await world().reprise.sessions.list()
    const emptied = `case "$file" in ${before.join('|')}) ;; *) : > "$file" ;; esac`
    world().programs.beforeNextStart(`for file in '${dirname(file)}'/*.jsonl; do ${emptied}; done`)
    const repair = world().reprise.sessions.diagnose(session, { repair: true })
    await expect(repair).rejects.toMatchObject({
      code: 'agent-failed',
      message: expect.stringMatching(/does not resume the repaired copy.*No conversation found/),
      hint: expect.stringContaining(`reprise send -t ${thread.id}`),
    })
    expect(readFileSync(file).equals(text)).toBe(true)
    expect(sessionsBeside(file)).toEqual(before)
    expect(await world().reprise.sessions.list()).toEqual(known)
    const { run: next } = await world().turn(thread, 'which number?')
    expect(next).toMatchObject({ status: 'completed', decision: { action: 'replay' } })
  })
}

/** A thread whose session has a line that the agent cannot read. */
async function damaged(world: Harness) {
  const thread = await world.thread()
  const { run } = await world.turn(thread, 'the number is 7')
  const file = world.sessionFile(run.sessionId ?? '')
  appendFileSync(file, 'null\n')
  // Our copy would take the place of the file.
  await world.loseCopies()
  return { thread, run, file, session: await current(world, run.sessionId) }
}

function sessionsBeside(file: string): readonly string[] {
  const names = readdirSync(dirname(file)).filter(name => name.endsWith('.jsonl'))
  return names.map(name => join(dirname(file), name)).toSorted()
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
