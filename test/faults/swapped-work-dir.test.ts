// S14: somebody puts a link in the place of the work dir, and takes it away again, as fast as a program can.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claudeCode } from '../../src/agents/claude-code.ts'
import { RepriseError } from '../../src/errors.ts'
import { createReprise } from '../../src/reprise.ts'
import { systemRandom } from '../../src/runner/real-world.ts'
import { DEFAULT_LIMITS, type Runner } from '../../src/runner/runner.ts'
import { createRunner } from '../../src/runner/start.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { readJournal } from '../../src/testing/fake-agent/executable.ts'
import { countOf } from '../counts.ts'
import { builtFakeAgent } from '../fake-agent.ts'

const STARTS = countOf('REPRISE_SWAPS', { usual: 15, storm: 100 })
/** A whole turn takes much longer than a start. */
const TURNS = Math.ceil(STARTS / 10)
const EMPTY = new Uint8Array()

/** Says when it has begun, and ends when the process that started it ends. */
const SWAPPER = `
  const { renameSync } = require('node:fs')
  const [work, away, link] = process.argv.slice(1)
  process.stdin.on('end', () => process.exit()).resume()
  process.stdout.write('swapping')
  const stay = () => {
    const untilMs = performance.now() + Math.random() / 2
    while (performance.now() < untilMs);
  }
  const swap = () => {
    for (let i = 0; i < 50; i++) {
      renameSync(work, away); renameSync(link, work); stay()
      renameSync(work, link); renameSync(away, work); stay()
    }
    setImmediate(swap)
  }
  swap()
`

let root: string
let work: string
let swapper: ChildProcess | null = null
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-swap-')))
  work = join(root, 'work')
  for (const name of ['work', 'outside']) {
    mkdirSync(join(root, name))
    writeFileSync(join(root, name, 'where'), name)
  }
  symlinkSync(join(root, 'outside'), join(root, 'link'))
})
afterEach(async () => {
  const ended = new Promise(resolve => swapper?.once('exit', resolve))
  swapper?.stdin?.end()
  await ended
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

async function startSwapping(): Promise<void> {
  const paths = [work, join(root, 'away'), join(root, 'link')]
  swapper = spawn(process.execPath, ['-e', SWAPPER, ...paths])
  await new Promise(resolve => swapper?.stdout?.once('data', resolve))
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

test(`S14 ${STARTS} starts while the work dir is swapped for a link: none outside of it`, async () => {
  const runner = createRunner()
  const seen = { work: 0, outside: 0, refused: 0 }
  await startSwapping()
  // A refusal takes no time, so there are many for each start.
  while (seen.work + seen.outside < STARTS && seen.refused < STARTS * 1_000) {
    seen[await placeOfStart(runner)] += 1
  }
  process.stderr.write(`starts: ${JSON.stringify(seen)}\n`)
  expect(seen).toMatchObject({ work: STARTS, outside: 0 })
  expect(seen.refused).toBeGreaterThan(0)
})

/** What a program finds where it was started. */
async function placeOfStart(runner: Runner): Promise<'work' | 'outside' | 'refused'> {
  const command = { file: '/bin/cat', args: ['where'], env: {}, workDir: work }
  const marker = systemRandom.id('run')
  let found = ''
  try {
    const agent = await runner.start({ ...command, stdin: EMPTY }, marker, DEFAULT_LIMITS)
    for await (const line of agent.lines) if (line.kind === 'line') found = line.text
    await agent.exit
  } catch (error) {
    if (!(error instanceof RepriseError) || error.code !== 'bad-input') throw error
    return 'refused'
  }
  return found === 'work' ? 'work' : 'outside'
}

test(`S14 ${TURNS} turns while the work dir is swapped for a link: no agent works where its turn was not taken`, async () => {
  const journal = join(root, 'journal')
  const executable = await builtFakeAgent(root)
  const env = { FAKE_AGENT_JOURNAL: journal, CLAUDE_CONFIG_DIR: join(root, 'agent') }
  const reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    agents: [claudeCode({ executable, env })],
  })
  const thread = await reprise.threads.create({ workDir: work })
  await startSwapping()
  const ended = new Map<string, number>()
  let started = 0
  // Reprise refuses a turn, or its start, when it finds the link.
  for (let tries = 0; started < TURNS && tries < TURNS * 200; tries++) {
    const result = await thread.send(`turn ${tries}`).result.catch(error => error)
    const end = result instanceof RepriseError ? result.code : result.run.status
    if (end === 'completed') started += 1
    count(ended, end)
  }
  process.stderr.write(`${TURNS} turns: ${JSON.stringify(Object.fromEntries(ended))}\n`)
  const entries = await readJournal(journal)
  expect(entries.length).toBeGreaterThan(0)
  for (const { cwd, env } of entries) {
    const { workDir } = await reprise.runs.get(env.REPRISE_RUN_ID ?? '')
    // The turn stored where the link led when it was accepted; nothing else may take its place.
    if (workDir === work) expect(cwd).not.toBe(join(root, 'outside'))
  }
  expect(await reprise.verify()).toEqual([])
  await reprise.close()
})
