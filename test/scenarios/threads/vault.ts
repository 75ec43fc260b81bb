// Scenarios of session files that are lost: our copy takes their place, and the session goes on as if nothing had been.
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import type { Harness } from '../harness/harness.ts'
import { expectReplayed, focused } from './continuing.ts'

const HARMS: Readonly<Record<string, (file: string) => void>> = {
  deleted: file => rmSync(file),
  'cut off in a line': file => truncateSync(file, statSync(file).size - 40),
  emptied: file => truncateSync(file, 0),
  'torn at its end': file => appendFileSync(file, '{"type":"user","mess'),
  'without its first half': file => loseFirstHalf(file),
}

export function vaultScenarios(world: () => Harness): void {
  // One session is harmed again and again, so that each harm costs one turn.
  test('V-1 V-2 a session file that was deleted, cut off, emptied or torn is put back, and the session is resumed', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    await world().turn(thread, 'two')
    const file = world().sessionFile(first.run.sessionId ?? '')
    const said = ['one', 'echo: one', focused('two'), 'echo: two']
    for (const [what, harm] of Object.entries(HARMS)) {
      harm(file)
      const preview = await thread.preview()
      expect(preview.decision.action, what).toBe('resume')
      const after = await world().turn(thread, what)
      expect(after.run, what).toMatchObject({
        status: 'completed',
        sessionResumed: true,
        sessionId: first.run.sessionId,
      })
      said.push(focused(what))
      expect(await world().saw(after)).toEqual(said)
      said.push(`echo: ${what}`)
      expect(statSync(file).mode & 0o777, what).toBe(0o600)
      const { checks } = await world().reprise.runs.why(after.run.id)
      const words = checks.find(({ check }) => check.guard === 'session-file')?.words
      expect(words).toMatch(/our copy of 20\d\d-\d\d-\d\dT.* replaced the agent's session file/)
    }
  })

  test('V-1 D-8 a session follows to another work dir where that is wanted, also when the old one is gone', async () => {
    const { id } = await world().thread()
    const first = await world().turn(await world().reprise.threads.get(id), 'one')
    await world().restart({ resume: { onWorkDirChange: 'relocate' } })
    const workDir = world().path(`moved-${id}`)
    mkdirSync(workDir)
    const thread = await world().reprise.threads.get(id)
    const moved = await world().turn(thread, 'two', { workDir })
    const next = await world().turn(thread, 'three', { workDir })
    await world().restart()
    expect(moved.run).toMatchObject({ sessionResumed: true, sessionId: first.run.sessionId })
    expect(next.run).toMatchObject({ sessionResumed: true, sessionId: first.run.sessionId })
    const expected = ['one', 'echo: one', focused('two'), 'echo: two', focused('three')]
    expect(await world().saw(next)).toEqual(expected)
  })
}

/** Copies that are gone or useless: no agent has a part in that. */
export function discardedCopyScenarios(world: () => Harness): void {
  test('V-1 V-6 a thread that is removed takes our copies along', async () => {
    const thread = await world().thread()
    const { run } = await world().turn(thread, 'one')
    expect(await world().copies()).toContain(run.sessionId)
    await thread.remove()
    expect(await world().copies()).not.toContain(run.sessionId)
  })

  test('V-2 a file that is damaged as it was kept is never resumed: a replay instead', async () => {
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    const file = world().sessionFile(first.run.sessionId ?? '')
    await world().loseCopies()
    appendFileSync(file, 'null\n')
    const after = await world().turn(thread, 'two')
    expect(after.run.decision).toMatchObject({ action: 'replay', reason: { code: 'file-damaged' } })
    await expectReplayed(world(), after, ['one', 'echo: one', 'two'])
  })
}

/** The end is as it was, but what it follows is gone. */
function loseFirstHalf(file: string): void {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const answers = lines.flatMap((line, index) => (line.includes('"assistant"') ? [index] : []))
  writeFileSync(file, `${lines.slice(answers.at(-1)).join('\n')}\n`)
}
