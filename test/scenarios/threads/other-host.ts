// Scenarios of threads that go on at another machine, which has neither the work dir nor the session file of the first.
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Harness } from '../harness/harness.ts'
import { expectReplayed, focused } from './continuing.ts'

const RELOCATE = { resume: { onWorkDirChange: 'relocate' } } as const

export function otherHostScenarios(world: () => Harness): void {
  test('V-1 D-8 a thread goes on with its session at another machine, in a work dir of that machine, and back again', async () => {
    const { id } = await world().thread()
    const first = await world().turn(await world().reprise.threads.get(id), 'one')
    const { sessionId } = first.run
    const workDir = workDirOf(world(), 'b')
    await atOther(world(), 'b', async () => {
      const moved = await world().turn(await world().reprise.threads.get(id), 'two', { workDir })
      expect(moved.run).toMatchObject({ status: 'completed', sessionResumed: true, sessionId })
      expect(await world().saw(moved)).toEqual(['one', 'echo: one', focused('two')])
      const { checks } = await world().reprise.runs.why(moved.run.id)
      const words = checks.find(({ check }) => check.guard === 'session-file')?.words
      expect(words).toMatch(/our copy of 20\d\d-\d\d-\d\dT.* replaced the agent's session file/)
      const files = readdirSync(world().path('home-b/.claude/projects'), { recursive: true })
      expect(files.filter(file => String(file).endsWith(`${sessionId}.jsonl`))).toHaveLength(1)
    })
    // The file of the first machine lacks what the second one added.
    await world().restart(RELOCATE)
    const { workDir: home } = world()
    const back = await world().turn(await world().reprise.threads.get(id), 'three', {
      workDir: home,
    })
    await world().restart()
    expect(back.run).toMatchObject({ status: 'completed', sessionResumed: true, sessionId })
    const said = ['one', 'echo: one', focused('two'), 'echo: two', focused('three')]
    expect(await world().saw(back)).toEqual(said)
  })
}

/** Reprise alone decides these. */
export function lostHostScenarios(world: () => Harness): void {
  test('V-1 V-2 a session that only a dead machine had is replayed at another one, with the reason', async () => {
    const { id } = await world().thread()
    await world().turn(await world().reprise.threads.get(id), 'one')
    await world().loseCopies()
    const workDir = workDirOf(world(), 'c')
    await atOther(world(), 'c', async () => {
      const after = await world().turn(await world().reprise.threads.get(id), 'two', { workDir })
      expect(after.run.decision).toMatchObject({
        action: 'replay',
        reason: { code: expect.stringMatching(/^(file-missing|directory-changed)$/) },
      })
      await expectReplayed(world(), after, ['one', 'echo: one', 'two'])
      const { checks } = await world().reprise.runs.why(after.run.id)
      const words = checks.find(({ check }) => check.guard === 'session-file')?.words
      expect(words).toContain("the agent's session file is gone")
    })
  })
}

function workDirOf(world: Harness, host: string): string {
  const workDir = world.path(`project-${host}`)
  mkdirSync(workDir)
  return workDir
}

/** Meanwhile, the work dir of the first machine is not there. */
async function atOther(world: Harness, host: string, work: () => Promise<void>): Promise<void> {
  const away = `${world.workDir}-away`
  await world.restart({ host, ...RELOCATE })
  renameSync(world.workDir, away)
  try {
    await work()
  } finally {
    renameSync(away, world.workDir)
    await world.restart()
  }
}
