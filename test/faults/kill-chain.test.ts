// E-2, I1, I4, I9: the process of a chain is killed with SIGKILL at random moments; another one carries the chain on, and a person lets
// it go on where it was broken off.
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
import {
  type Chain,
  claudeCode,
  createReprise,
  type Reprise,
  type Run,
  sqlite,
} from '../../src/index.ts'
import type { FakeScript, ScriptStep } from '../../src/testing/fake-agent/script.ts'
import { readJournal } from '../../src/testing/index.ts'
import { chosenSeed, countOf } from '../counts.ts'
import { builtFakeAgent } from '../fake-agent.ts'
import { billedIn, possibleCosts } from './chain-bill.ts'
import { randomFrom, until } from './fault-world.ts'

const KILLS = countOf('REPRISE_CHAIN_KILLS', { usual: 4, storm: 40 })
const SEED = chosenSeed()
/** M-1: totals of the process; of the session; the same, together with what came since the last result. */
const VERSIONS = ['2.1.197', '2.1.300', '2.1.325']
const PROGRAM = fileURLToPath(new URL('chain-program.ts', import.meta.url))
/** About as long as a chain takes once it is stored: some kills come when all is over. */
const LONGEST_MS = 1_500
/** The others may come before anything is stored. */
const SHARE_AFTER_SUBMIT = 0.8
/** For what happens within a second on a quiet machine. */
const PATIENCE_MS = 120_000
/** Who lets a chain go on is killed as well, so often. */
const SHARE_KILLED_AGAIN = 0.5

const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-kill-chain-')))
const file = (name: string) => join(root, name)
const env: Record<string, string> = {
  FAKE_AGENT_SCRIPT: file('script.json'),
  FAKE_AGENT_JOURNAL: file('journal'),
  NODE_COMPILE_CACHE: file('cache'),
  HOME: file('home'),
  CLAUDE_CONFIG_DIR: file('home/.claude'),
}
const executables: string[] = []
const known = new Set<string>()

beforeAll(async () => {
  for (const name of ['home', 'project']) mkdirSync(file(name))
  for (const version of VERSIONS) {
    executables.push(await builtFakeAgent(root, { name: `fake-${version}`, version }))
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

/** Each run has a bill of its own, and leaves a mark in the world: a second one would show that it ran twice. */
function script(marks: string): FakeScript {
  const tiers = [1, 2, 3]
  return [
    ...tiers.map(tier => ({ when: `still operate as tier ${tier}`, do: steps(tier, 'continued') })),
    ...tiers.map(tier => ({
      when: `now operate as tier ${tier}`,
      do: firstSteps(tier, marks),
    })),
    { do: firstSteps(1, marks) },
  ]
}

function firstSteps(tier: number, marks: string): readonly ScriptStep[] {
  return steps(tier, 'first', { type: 'sideEffect', appendFile: marks, line: `tier ${tier}` })
}

function steps(
  tier: number,
  how: 'first' | 'continued',
  ...acts: readonly ScriptStep[]
): readonly ScriptStep[] {
  const [first, second] = billedIn(tier, how)
  return [
    { type: 'billed', usage: first },
    { type: 'tool', name: 'Bash', input: { command: `act ${tier}` }, result: 'acted' },
    ...acts,
    { type: 'sleep', ms: 40 },
    { type: 'billed', usage: second },
    { type: 'text', text: ['Done, ', { sleepMs: 40 }, 'I think.'] },
    { type: 'verdict', output: { verdict: tier < 3 ? 'escalate' : 'resolved', summary: 's' } },
  ]
}

test(`E-2 E-8 M-1 I1 I4 I9 ${KILLS} kills of the process of a three-tier chain: it ends right, goes on when a person says so, no tier acts twice, what was reported or saved is booked once`, {
  timeout: 60_000 + KILLS * 20_000,
}, async () => {
  const random = randomFrom(SEED)
  const ends = new Map<string, number>()
  const billed = new Map<string, number>()
  for (let kill = 0; kill < KILLS; kill += 1) {
    const marks = file(`marks-${kill}`)
    writeFileSync(file('script.json'), JSON.stringify(script(marks)))
    const executable = executables[kill % executables.length] ?? ''
    const moment = (): Moment => {
      const [waitsForSubmit, afterMs] = [random() < SHARE_AFTER_SUBMIT, random() * LONGEST_MS]
      return submitted =>
        (waitsForSubmit ? submitted : Promise.resolve()).then(() => sleep(afterMs))
    }
    const chainId = await killedProcess(executable, moment())
    const chain = await carriedOn(executable, chainId)
    count(ends, chain ? `${chain.status}/${chain.tier}` : 'not begun')
    if (!chain) continue
    const about = JSON.stringify({ kill, seed: SEED, executable, id: chain.id })
    checkEnd(chain, marks, about)
    const isKilledAgain = chain.status === 'failed' && random() < SHARE_KILLED_AGAIN
    if (isKilledAgain) await killedProcess(executable, moment(), chain.id)
    const done = await letGoOn(executable, chain.id)
    checkDone(done, marks, about)
    for (const what of await checkCosts(done, about)) count(billed, what)
  }
  const figures = { ends: Object.fromEntries(ends), runs: Object.fromEntries(billed) }
  process.stderr.write(`${KILLS} kills, seed ${SEED}: ${JSON.stringify(figures)}\n`)
})

test('M-1 a run that is killed before its session gets its prompt is billed for nothing, although the next run quotes the prompt', async () => {
  const [executable = ''] = executables
  const marks = file('marks-early')
  const started = async () =>
    (await readJournal(env.FAKE_AGENT_JOURNAL ?? '').catch(() => [])).length
  const before = await started()
  const hangs: FakeScript = [
    { when: 'This is attempt 2', once: true, do: [{ type: 'hang', at: 'before-init' }] },
    // It hangs when it has acted, after its first request.
    { when: 'You operate as tier 1', do: [...firstSteps(1, marks).slice(0, 3), { type: 'hang' }] },
  ]
  writeFileSync(file('script.json'), JSON.stringify([...hangs, ...script(marks)]))
  const acted = () => until('tier 1 has acted', () => marksIn(marks).length === 1, PATIENCE_MS)
  const chainId = await killedProcess(executable, acted)
  const broken = await carriedOn(executable, chainId)
  expect(broken).toMatchObject({ status: 'failed', tier: 1 })
  const hasBegun = async () => (await started()) === before + 2
  const begun = () => until('attempt 2 has begun', hasBegun, PATIENCE_MS)
  await killedProcess(executable, begun, broken?.id ?? '')
  const done = await letGoOn(executable, broken?.id ?? '')
  checkDone(done, marks, 'early')
  expect(await checkCosts(done, 'early')).toEqual([
    'interrupted, 1 of 2 requests saved',
    'interrupted when let go on, 0 of 2 requests saved',
    'completed when let go on, 2 of 2 requests saved',
    'completed, 2 of 2 requests saved',
    'completed, 2 of 2 requests saved',
  ])
})

/** Resolves when the process is to be killed. */
type Moment = (submitted: Promise<void>) => Promise<unknown>

/** Gives the id if it was printed before the kill. */
async function killedProcess(
  executable: string,
  moment: Moment,
  ...brokenOff: readonly string[]
): Promise<string | null> {
  const args = [file('reprise.db'), executable, file('project'), JSON.stringify(env), file('data')]
  const child = spawn(process.execPath, [PROGRAM, ...args, ...brokenOff], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  const named = new Promise<void>(resolve => {
    child.stdout.on('data', data => {
      out += data
      resolve()
    })
  })
  const over = new Promise<void>(resolve => child.on('exit', () => resolve()))
  await Promise.race([over, moment(named)])
  child.kill('SIGKILL')
  await over
  return out.trim() || null
}

/** As a daemon that is started again: what was kept goes on, what was broken off is ended. */
async function carriedOn(executable: string, chainId: string | null): Promise<Chain | null> {
  return withReprise(executable, async reprise => {
    const id = chainId ?? (await reprise.chains.list({ limit: 1 }))[0]?.id
    if (id === undefined || known.has(id)) return null
    known.add(id)
    return overChain(reprise, id)
  })
}

/** As often as it was broken off: the last one to let it go on is not killed. */
async function letGoOn(executable: string, id: string): Promise<Chain> {
  return withReprise(executable, async reprise => {
    const chain = await overChain(reprise, id)
    return chain.status === 'failed' ? reprise.chains.continue(id).result : chain
  })
}

async function withReprise<T>(
  executable: string,
  use: (reprise: Reprise) => Promise<T>,
): Promise<T> {
  const reprise = createReprise({
    store: sqlite(file('reprise.db')),
    agents: [claudeCode({ executable, env })],
    dataDir: file('data'),
    keepQueue: true,
  })
  try {
    return await use(reprise)
  } finally {
    expect(await reprise.verify()).toEqual([])
    await reprise.close()
  }
}

async function overChain(reprise: Reprise, id: string): Promise<Chain> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const chain = await reprise.chains.get(id)
    if (chain.status !== 'running') return chain
    await sleep(20)
  }
  throw new Error(`chain ${id} does not end`)
}

function marksIn(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

/** Nobody has let anything go on yet. */
function checkEnd(chain: Chain, marks: string, about: string): void {
  const left = marksIn(marks)
  expect(left, about).toEqual(['tier 1', 'tier 2', 'tier 3'].slice(0, left.length))
  const tiers = chain.runs.map(run => run.tier)
  expect(tiers, about).toEqual([1, 2, 3].slice(0, tiers.length))
  expect(['resolved', 'failed'], about).toContain(chain.status)
  if (chain.status === 'resolved') expect(left, about).toHaveLength(3)
  if (chain.status === 'failed') {
    expect(chain.because, about).toMatchObject({ code: 'run-interrupted', tier: chain.tier })
  }
}

/** Every tier is done once, run after run in one line, and none has acted twice. */
function checkDone(chain: Chain, marks: string, about: string): void {
  expect(chain, about).toMatchObject({ status: 'resolved', tier: 3 })
  const completed = chain.runs.filter(run => run.status === 'completed')
  expect(
    completed.map(run => run.tier),
    about,
  ).toEqual([1, 2, 3])
  chain.runs.forEach((run, at) => {
    const before = chain.runs[at - 1]
    expect(run.parentRunId, about).toBe(before?.id ?? null)
    const isContinued = before?.tier === run.tier
    expect(run.attempt, about).toBe(isContinued ? (before?.attempt ?? 0) + 1 : 1)
    expect(run.status, about).toBe(completed.includes(run) ? 'completed' : 'interrupted')
  })
  const left = marksIn(marks)
  expect(new Set(left).size, about).toBe(left.length)
}

/** Run by run against the bill that is known without Reprise. Gives how much of each bill was there to be booked. */
async function checkCosts(chain: Chain, about: string): Promise<readonly string[]> {
  const started = await readJournal(env.FAKE_AGENT_JOURNAL ?? '')
  const figures: string[] = []
  for (const { id, tier, status, costUsd, costDisputed, attempt } of chain.runs) {
    const processes = started.filter(entry => entry.env.REPRISE_RUN_ID === id)
    expect(processes.length, about).toBeLessThanOrEqual(1)
    const place = { tier: tier ?? 0, home: env.HOME ?? '' }
    const { requests, usd } = possibleCosts(processes[0], place)
    const rounded = (dollars: number) => Math.round(dollars * 1e9)
    expect(usd.map(rounded), `${about} run ${id}`).toContain(rounded(costUsd ?? 0))
    if (status === 'completed') expect(requests, about).toBe(2)
    expect(costDisputed, about).toBe(false)
    const how = attempt > 1 ? ' when let go on' : ''
    figures.push(`${status}${how}, ${requests} of 2 requests saved`)
  }
  const sumOf = (runs: readonly Run[]) => runs.reduce((sum, run) => sum + (run.costUsd ?? 0), 0)
  for (const { tier, costUsd } of chain.byTier) {
    const own = chain.runs.filter(run => run.tier === tier)
    expect(costUsd, about).toBeCloseTo(sumOf(own), 9)
  }
  expect(chain.totals.costUsd, about).toBeCloseTo(sumOf(chain.runs), 9)
  return figures
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}
