// D-2 over whole histories: whatever happens to a thread, every turn goes out with what the agent must know, once.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chosenSeed, countOf } from '../counts.ts'
import type { Counts } from './sequences/play.ts'
import { playMany } from './sequences/play-many.ts'
import { memoryWorlds, type ProgramStage, programStage, programWorld } from './sequences/world.ts'

const IN_MEMORY = countOf('REPRISE_SEQUENCES', { usual: 100, storm: 2_000 })
const WITH_PROGRAMS = countOf('REPRISE_PROGRAM_SEQUENCES', { usual: 10, storm: 50 })
const SEED = chosenSeed()
const ACTIONS = ['start', 'resume', 'fork', 'replay']

let directory = ''
let stage: ProgramStage
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-stage-'))
  stage = await programStage(directory)
})
afterAll(async () => {
  await stage.store.close()
  rmSync(directory, { recursive: true, force: true })
})

test('D-2 I3 I11 random histories in memory: the agent is given every message of its view once, in order', async () => {
  const counts = await playMany(memoryWorlds(), {
    runs: IN_MEMORY,
    maxCommands: 12,
    hangs: 'possible',
    seed: SEED,
  })
  for (const action of ACTIONS)
    expect(times([counts], `action ${action}`), action).toBeGreaterThan(IN_MEMORY / 20)
  for (const what of [
    'crash kept a question',
    'crash left a prompt unsent',
    'question answer',
    'question restart',
    'question swap',
    'crash',
    'second spawn',
    'replay native',
    'replay prompt',
    'do oversleep',
    'do cancel',
    'do fork',
    'do tear',
  ])
    expect(times([counts], what), what).toBeGreaterThan(IN_MEMORY / 40)
})

test('D-2 I3 I11 random histories with the fake agent as a program and the real runner', async () => {
  const open = () => programWorld(stage)
  // Two side by side: most of a turn with a program is waiting.
  const halves = [Math.ceil(WITH_PROGRAMS / 2), Math.floor(WITH_PROGRAMS / 2)].filter(
    runs => runs > 0,
  )
  const counts = await Promise.all(
    halves.map((runs, index) =>
      playMany(open, { runs, maxCommands: 6, hangs: 'never', seed: SEED + index }),
    ),
  )
  // Forks need a longer history than most of these have.
  for (const action of ['start', 'resume', 'replay'])
    expect(times(counts, `action ${action}`), action).toBeGreaterThan(WITH_PROGRAMS / 10)
})

function times(counts: readonly Counts[], what: string): number {
  return counts.reduce((sum, some) => sum + (some.get(what) ?? 0), 0)
}
