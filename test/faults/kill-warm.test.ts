// W-1: a program that keeps processes is killed at random moments, with processes at rest and at work.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claudeCode, createReprise, sqlite } from '../../src/index.ts'
import { chosenSeed, countOf } from '../counts.ts'
import { bundledFakeAgent } from '../fake-agent.ts'
import { processesWith, randomFrom, until } from './fault-world.ts'

const KILLS = countOf('REPRISE_WARM_KILLS', { usual: 1, storm: 12 })
const SEED = chosenSeed()
const OWNER = fileURLToPath(new URL('./warm-owner.ts', import.meta.url))
/** Programs that live and are killed side by side, each with a store of its own. */
const PROGRAMS = Math.min(3, KILLS)
/** Both threads have had a turn on a kept process by then. */
const TURNS_FIRST = 4
const MAX_MORE_TURNS = 3
const MAX_INTO_TURN_MS = 40

let root = ''
let executable = ''
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'kill-warm-')))
  executable = await bundledFakeAgent(root)
})
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

type Said = {
  readonly prompt: string
  readonly threadId: string
  readonly status: string
  readonly process: string
}

type Owner = { readonly child: ChildProcess; readonly said: readonly Said[] }

/** Where a program keeps its store, and its agent's files. */
type Place = { readonly directory: string; readonly env: Readonly<Record<string, string>> }

function placeOf(program: number): Place {
  const directory = join(root, `program-${program}`)
  mkdirSync(join(directory, 'project'), { recursive: true })
  const env = {
    CLAUDE_CONFIG_DIR: join(directory, 'config'),
    FAKE_AGENT_JOURNAL: join(directory, 'journal'),
    NODE_COMPILE_CACHE: join(root, 'compile-cache'),
  }
  return { directory, env }
}

const processesOf = ({ directory }: Place) =>
  processesWith(`FAKE_AGENT_JOURNAL=${join(directory, 'journal')}`)

function startOwner({ directory, env }: Place, serial: number): Owner {
  const args = [OWNER, directory, executable, JSON.stringify(env), String(serial).padStart(3, '0')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: Said[] = []
  createInterface({ input: child.stdout }).on('line', line => said.push(JSON.parse(line)))
  return { child, said }
}

test(`W-1 U-3 ${KILLS} kills of a program that keeps processes: nothing is left running, no turn is lost or sent twice`, {
  timeout: 60_000 + KILLS * 20_000,
}, async () => {
  const startedMs = performance.now()
  let left = KILLS
  const figures = { processes: 0, turns: 0 }
  const killAgain = async (_: unknown, program: number) => {
    const place = placeOf(program)
    const random = randomFrom(SEED + program)
    const promised = new Map<string, string>()
    for (let serial = 0; left > 0; serial += 1) {
      left -= 1
      const { found, said } = await killOne(startOwner(place, serial), place, random)
      figures.processes += found
      for (const { prompt, threadId } of said) promised.set(prompt, threadId)
    }
    figures.turns += promised.size
    await expectKept(place, promised)
  }
  await Promise.all(Array.from({ length: PROGRAMS }, killAgain))
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  process.stderr.write(
    `${KILLS} kills in ${seconds} s, seed ${SEED}: ${figures.processes} processes ran at the kills, ${figures.turns} turns were over\n`,
  )
  expect(figures.processes).toBeGreaterThanOrEqual(2 * KILLS)
})

/** Kills the program at a random moment after its first turns. */
async function killOne({ child, said }: Owner, place: Place, random: () => number) {
  const end = new Promise(resolve => child.on('close', resolve))
  const turns = TURNS_FIRST + Math.floor(random() * MAX_MORE_TURNS)
  await until('it has had its turns', () => said.length >= turns, 60_000)
  await sleep(random() * MAX_INTO_TURN_MS)
  const found = processesOf(place).length
  child.kill('SIGKILL')
  await end
  await until('its processes ended', () => processesOf(place).length === 0)
  expect(said.map(({ status }) => status)).toEqual(said.map(() => 'completed'))
  // The first turn of each thread needs a new process, whatever the killed one has left.
  expect(said.slice(0, 4).map(used => used.process)).toEqual(['new', 'new', 'warm', 'warm'])
  return { found, said }
}

/** Every turn that was over is on its thread once, and the store is sound. */
async function expectKept(
  { directory, env }: Place,
  promised: ReadonlyMap<string, string>,
): Promise<void> {
  const reprise = createReprise({
    store: sqlite(join(directory, 'reprise.db')),
    dataDir: join(directory, 'data'),
    agents: [claudeCode({ executable, env })],
  })
  try {
    const threads = await reprise.threads.list({ limit: 10 })
    expect(threads).toHaveLength(2)
    for (const { id } of threads) {
      const { messages, runs } = await (await reprise.threads.get(id)).show()
      expect(runs.filter(({ endedAt }) => endedAt === null)).toEqual([])
      const prompts = messages.filter(({ role }) => role === 'user').map(({ text }) => text)
      expect(new Set(prompts).size).toBe(prompts.length)
      const mine = [...promised].filter(([, threadId]) => threadId === id).map(([text]) => text)
      expect(mine.filter(text => !prompts.includes(text))).toEqual([])
    }
    expect(await reprise.verify()).toEqual([])
  } finally {
    await reprise.close()
  }
}
