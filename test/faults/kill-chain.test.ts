// E-2, I1, I4, I9: the process of a chain is killed with SIGKILL at random moments; another one carries the chain on.
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, claudeCode, createReprise, sqlite } from '../../src/index.ts'
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { fakeAgentExecutable, readJournal } from '../../src/testing/index.ts'
import { billedIn, possibleCosts, wholeBill } from './chain-bill.ts'
import { chosenSeed, randomFrom } from './fault-world.ts'

const KILLS = Number(process.env.REPRISE_CHAIN_KILLS ?? 20)
const SEED = chosenSeed()
/** M-1: totals of the process; of the session; the same, with what came since the last result told as well. */
const VERSIONS = ['2.1.197', '2.1.300', '2.1.325']
const PROGRAM = fileURLToPath(new URL('chain-program.ts', import.meta.url))
/** About as long as a chain takes once it is stored: some kills come when all is over. */
const LONGEST_MS = 1_500
/** The others may come before anything is stored. */
const SHARE_AFTER_SUBMIT = 0.8

const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-kill-chain-')))
const file = (name: string) => join(root, name)
const env: Record<string, string> = {
  FAKE_AGENT_SCRIPT: file('script.json'),
  FAKE_AGENT_JOURNAL: file('journal'),
  NODE_COMPILE_CACHE: file('cache'),
  HOME: file('home'),
}
const executables: string[] = []
const known = new Set<string>()

beforeAll(async () => {
  for (const name of ['home', 'project']) mkdirSync(file(name))
  for (const version of VERSIONS) {
    executables.push(await fakeAgentExecutable(root, { name: `fake-${version}`, version }))
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

/** Each tier has a bill of its own, and leaves a mark in the world: a second one would show that it ran twice. */
function script(marks: string): FakeScript {
  return [1, 2, 3].map(tier => ({
    when: `tier ${tier} of 3`,
    do: [
      { type: 'billed', usage: billedIn(tier)[0] },
      { type: 'tool', name: 'Bash', input: { command: `act ${tier}` }, result: 'acted' },
      { type: 'sideEffect', appendFile: marks, line: `tier ${tier}` },
      { type: 'sleep', ms: 40 },
      { type: 'billed', usage: billedIn(tier)[1] },
      { type: 'text', text: ['Done, ', { sleepMs: 40 }, 'I think.'] },
      { type: 'verdict', output: { verdict: tier < 3 ? 'escalate' : 'resolved', summary: 's' } },
    ],
  }))
}

test(`E-2 E-8 M-1 I1 I4 I9 ${KILLS} kills of the process of a three-tier chain: it ends right, no tier acts twice, what was reported or saved is booked once`, {
  timeout: 60_000 + KILLS * 20_000,
}, async () => {
  const random = randomFrom(SEED)
  const ends = new Map<string, number>()
  const billed = new Map<string, number>()
  for (let kill = 0; kill < KILLS; kill += 1) {
    const marks = file(`marks-${kill}`)
    writeFileSync(file('script.json'), JSON.stringify(script(marks)))
    const since = random() < SHARE_AFTER_SUBMIT ? 'submit' : 'start'
    const afterMs = random() * LONGEST_MS
    const executable = executables[kill % executables.length] ?? ''
    const chainId = await killedChain(executable, { since, afterMs })
    const chain = await carriedOn(executable, chainId)
    if (chain) {
      const about = JSON.stringify({ kill, seed: SEED, executable, afterMs, ...namesOf(chain) })
      checkEnd(chain, marks, about)
      for (const what of await checkCosts(chain, about)) count(billed, what)
    }
    const end = chain ? `${chain.status}/${chain.tier}` : 'not begun'
    count(ends, end)
  }
  const figures = { ends: Object.fromEntries(ends), runs: Object.fromEntries(billed) }
  process.stderr.write(`${KILLS} kills, seed ${SEED}: ${JSON.stringify(figures)}\n`)
})

/** Gives the id if it was told before the kill. */
async function killedChain(
  executable: string,
  { since, afterMs }: { since: 'submit' | 'start'; afterMs: number },
): Promise<string | null> {
  const args = [file('reprise.db'), executable, file('project'), JSON.stringify(env), file('data')]
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  const told = new Promise<void>(resolve => {
    child.stdout.on('data', data => {
      out += data
      resolve()
    })
  })
  const over = new Promise<void>(resolve => child.on('exit', () => resolve()))
  if (since === 'submit') await Promise.race([over, told])
  await Promise.race([over, sleep(afterMs)])
  child.kill('SIGKILL')
  await over
  return out.trim() || null
}

/** As a daemon that is started again: what was kept goes on, what was broken off is ended. */
async function carriedOn(executable: string, chainId: string | null): Promise<Chain | null> {
  const reprise = createReprise({
    store: sqlite(file('reprise.db')),
    agents: [claudeCode({ executable, env })],
    dataDir: file('data'),
    keepQueue: true,
  })
  try {
    const id = chainId ?? (await reprise.chains.list({ limit: 1 }))[0]?.id
    if (id === undefined || known.has(id)) return null
    known.add(id)
    for (let tries = 0; tries < 1_000; tries += 1) {
      const chain = await reprise.chains.get(id)
      if (chain.status !== 'running') return chain
      await sleep(20)
    }
    throw new Error(`chain ${id} does not end`)
  } finally {
    expect(await reprise.verify()).toEqual([])
    await reprise.close()
  }
}

function namesOf({ id, because }: Chain): object {
  return { id, because }
}

function checkEnd(chain: Chain, marks: string, about: string): void {
  const left = existsSync(marks) ? readFileSync(marks, 'utf8').trim().split('\n') : []
  expect(left, about).toEqual(['tier 1', 'tier 2', 'tier 3'].slice(0, left.length))
  const tiers = chain.runs.map(run => run.tier)
  expect(tiers, about).toEqual([1, 2, 3].slice(0, tiers.length))
  expect(['resolved', 'failed'], about).toContain(chain.status)
  if (chain.status === 'resolved') expect(left, about).toHaveLength(3)
  if (chain.status === 'failed') {
    expect(chain.because, about).toMatchObject({ code: 'run-interrupted', tier: chain.tier })
  }
}

/** Run by run against the bill that is known without Reprise. Gives how much of each bill was there to be booked. */
async function checkCosts(chain: Chain, about: string): Promise<readonly string[]> {
  const started = await readJournal(env.FAKE_AGENT_JOURNAL ?? '')
  const figures: string[] = []
  for (const { id, tier: number, status, costUsd, model, costDisputed } of chain.runs) {
    const tier = number ?? 0
    const processes = started.filter(entry => entry.env.REPRISE_RUN_ID === id)
    expect(processes.length, about).toBeLessThanOrEqual(1)
    const { requests, usd } = possibleCosts(processes[0], { tier, home: env.HOME ?? '' })
    const rounded = (dollars: number) => Math.round(dollars * 1e9)
    expect(usd.map(rounded), `${about} run ${id}`).toContain(rounded(costUsd ?? 0))
    if (status === 'completed') expect(costUsd, about).toBeCloseTo(wholeBill(tier, model ?? ''), 9)
    expect(costDisputed, about).toBe(false)
    expect(chain.byTier[tier - 1]?.costUsd, about).toBeCloseTo(costUsd ?? 0, 9)
    figures.push(`${status}, ${requests} of 2 requests saved`)
  }
  const sum = chain.runs.reduce((total, run) => total + (run.costUsd ?? 0), 0)
  expect(chain.totals.costUsd, about).toBeCloseTo(sum, 9)
  return figures
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}
