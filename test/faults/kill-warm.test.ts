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
const OWNER = fileURLToPath(new URL('./warm-owner.ts', import.meta.url))
/** Both threads have had a turn on a kept process by then. */
const TURNS_FIRST = 4
const MAX_MORE_TURNS = 3
const MAX_INTO_TURN_MS = 40

let root = ''
let executable = ''
let env: Record<string, string> = {}
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'kill-warm-')))
  mkdirSync(join(root, 'project'))
  executable = await bundledFakeAgent(root)
  env = {
    CLAUDE_CONFIG_DIR: join(root, 'config'),
    FAKE_AGENT_JOURNAL: join(root, 'journal'),
    NODE_COMPILE_CACHE: join(root, 'compile-cache'),
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const processes = () => processesWith(`FAKE_AGENT_JOURNAL=${join(root, 'journal')}`)

type Said = {
  readonly prompt: string
  readonly threadId: string
  readonly status: string
  readonly process: string
}

type Owner = { readonly child: ChildProcess; readonly said: readonly Said[] }

function startOwner(serial: number): Owner {
  const args = [OWNER, root, executable, JSON.stringify(env), String(serial).padStart(3, '0')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: Said[] = []
  createInterface({ input: child.stdout }).on('line', line => said.push(JSON.parse(line)))
  return { child, said }
}

test(`W-1 U-3 ${KILLS} kills of a program that keeps processes: nothing is left running, no turn is lost or sent twice`, async () => {
  const random = randomFrom(chosenSeed())
  const promised = new Map<string, string>()
  let found = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { child, said } = startOwner(kill)
    const end = new Promise(resolve => child.on('close', resolve))
    const turns = TURNS_FIRST + Math.floor(random() * MAX_MORE_TURNS)
    await until('it has had its turns', () => said.length >= turns, 60_000)
    await sleep(random() * MAX_INTO_TURN_MS)
    found += processes().length
    child.kill('SIGKILL')
    await end
    await until('its processes ended', () => processes().length === 0)
    expect(said.map(({ status }) => status)).toEqual(said.map(() => 'completed'))
    // The first turn of each thread needs a new process, whatever the killed one has left.
    expect(said.slice(0, 4).map(used => used.process)).toEqual(['new', 'new', 'warm', 'warm'])
    for (const { prompt, threadId } of said) promised.set(prompt, threadId)
  }
  expect(found).toBeGreaterThanOrEqual(2 * KILLS)
  await expectKept(promised)
})

/** Every turn that was over is on its thread once, and the store is sound. */
async function expectKept(promised: ReadonlyMap<string, string>): Promise<void> {
  const reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    dataDir: join(root, 'data'),
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
