// Whether a full store slows a turn down: gathering facts and deciding with a thousand and with a million runs in it.
// With `--postgres` the stores are in PostgreSQL.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { viewOf } from '../src/core/conversation/messages.ts'
import { DEFAULT_QUESTIONS } from '../src/core/conversation/question-settings.ts'
import { decide } from '../src/core/decide/decide.ts'
import { DEFAULT_RESUME } from '../src/core/decide/settings.ts'
import { DEFAULT_CHECKPOINTS } from '../src/core/job/checkpoint-keeping.ts'
import { DEFAULT_WORKSPACES } from '../src/core/run/workspace-settings.ts'
import type { Files } from '../src/core/world.ts'
import { createEmbeddedEngine } from '../src/engine/embedded.ts'
import type { Agent, Dependencies } from '../src/flows/dependencies.ts'
import { DEFAULT_TIMING } from '../src/flows/dependencies.ts'
import { RunLog } from '../src/flows/follow/run-log.ts'
import { LiveRuns } from '../src/flows/queue/live-runs.ts'
import { gather } from '../src/flows/turn/gather.ts'
import { claudeCode, postgres, sqlite } from '../src/index.ts'
import { createGit } from '../src/runner/git.ts'
import { isAlive, systemClock, systemRandom, thisProcess } from '../src/runner/real-world.ts'
import { DEFAULT_LIMITS } from '../src/runner/runner.ts'
import { createRunner } from '../src/runner/start.ts'
import type { StoreWithWork } from '../src/store/contract/store.ts'
import { NO_TRACING } from '../src/telemetry/tracing.ts'
import { NO_ARCHIVE } from '../src/vault/archive.ts'
import { NO_VAULT } from '../src/vault/vault.ts'
import { openWorkspaces } from '../src/workspaces/workspaces.ts'
import { startPostgres } from '../test/postgres/server.ts'
import { runOn } from '../test/postgres/shared.ts'
import { fillPostgres, sizeOf } from './fill-postgres.ts'
import { AGENT, fillStore, RUNS_PER_THREAD, RUNTIME, threadId, WORK_DIR } from './fill-store.ts'
import {
  compare,
  interleave,
  type Lane,
  milliseconds,
  numberFlag,
  print,
  report,
} from './measure.ts'

const SMALL = 1_000
const BIG = numberFlag('runs', 1_000_000)
const ROUNDS = numberFlag('rounds', 300)
const TARGET = 1.5
/** A million runs are written in one transaction. */
const SERVER_SETTINGS = ['synchronous_commit=off', 'max_wal_size=8GB', 'autovacuum=off']

const config = claudeCode({ name: AGENT, env: { CLAUDE_CONFIG_DIR: '/agent' } })
const agent: Agent = {
  ...config,
  fullEnv: config.env,
  secrets: [],
  runtime: {
    agent: AGENT,
    executable: '/agent/claude',
    version: '2.1.325',
    quirks: [],
    warning: null,
    fingerprint: RUNTIME,
    abilities: {
      resume: true,
      fork: true,
      forkAtMessage: true,
      chooseSessionId: true,
      resumeAcrossWorkDirs: true,
    },
  },
}

/** Every session file is there: only the store is measured. */
const content = new TextEncoder().encode(
  '{"type":"user","message":{"role":"user","content":"hi"}}\n',
)
const files: Files = {
  stat: async () => ({ kind: 'file', sizeBytes: content.length, modifiedMs: 0 }),
  realpath: async path => path,
  list: async () => null,
  read: async () => content,
}

const directory = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
const server = process.argv.includes('--postgres') ? await startPostgres(SERVER_SETTINGS) : null
try {
  process.exitCode = (await main()) ? 0 : 1
} finally {
  await server?.stop()
  rmSync(directory, { recursive: true, force: true })
}

async function main(): Promise<boolean> {
  const small = await openFilled(SMALL)
  const big = await openFilled(BIG)
  const again = await interleave([lane(small, 'same'), lane(big, 'same')], ROUNDS)
  const other = await interleave([lane(small, 'another'), lane(big, 'another')], ROUNDS)
  await small.store.close()
  await big.store.close()
  const names = [`${BIG} runs`, `${SMALL} runs`] as const
  const areMet = [
    { title: 'the same thread again', samples: again },
    { title: 'another thread each time', samples: other },
  ].map(({ title, samples }) => {
    process.stdout.write(`\nfacts and decision, ${title}, ${ROUNDS} rounds\n`)
    for (const [name, values] of samples) print(`  ${name}`, milliseconds(values))
    return report('  ratio', compare(samples, ...names), TARGET)
  })
  return areMet.every(Boolean)
}

type Filled = { readonly store: StoreWithWork; readonly runs: number }

async function openFilled(runs: number): Promise<Filled> {
  const before = performance.now()
  const { open, bytes } = await (server ? filledOn(server.url, runs) : filledFile(runs))
  const seconds = ((performance.now() - before) / 1000).toFixed(1)
  print(`filled with ${runs} runs`, `${seconds} s, ${(bytes / 2 ** 20).toFixed(0)} MB`)
  return { store: await open(), runs }
}

async function filledFile(runs: number) {
  const file = join(directory, `${runs}.db`)
  await fillStore(file, runs)
  return { open: sqlite(file), bytes: statSync(file).size }
}

async function filledOn(serverUrl: string, runs: number) {
  await runOn(serverUrl, `create database runs_${runs}`)
  const url = new URL(`/runs_${runs}`, serverUrl).href
  await fillPostgres(url, runs)
  return { open: postgres(url), bytes: await sizeOf(url) }
}

function lane({ store, runs }: Filled, which: 'same' | 'another'): Lane {
  const parts = partsWith(store)
  const threads = runs / RUNS_PER_THREAD
  let round = 0
  return {
    name: `${runs} runs`,
    async run() {
      // A prime step: far apart, and the same rounds for every store.
      round += which === 'same' ? 0 : 7_919
      await decideFor(parts, threadId((threads >> 1) + (round % (threads >> 1))))
    },
  }
}

/** What happens between a turn's claim and its start, without the writing. */
async function decideFor(parts: Dependencies, id: string): Promise<void> {
  const view = viewOf(await parts.store.branch(id), 'all', AGENT)
  const model = agent.model
  const { resume } = await parts.settingsFor(WORK_DIR)
  const place = { threadId: id, view, workDir: WORK_DIR }
  const situation = { agent, model, freshSession: false, resume, ...place }
  const { facts } = await gather(parts, situation)
  const { action } = decide(facts, resume)
  if (action !== 'resume') throw new Error(`thread ${id} would ${action}`)
}

function onWrite(): () => void {
  return () => {}
}

function partsWith(store: StoreWithWork): Dependencies {
  const owner = thisProcess()
  return {
    store,
    engine: createEmbeddedEngine({ store, clock: systemClock, owner, isAlive }),
    // Nobody follows a run here.
    log: new RunLog({ store, onWrite, pollMs: 100, clock: systemClock, recover: async () => {} }),
    files,
    hiddenDir: '/nowhere',
    tracing: NO_TRACING,
    warm: null,
    vault: NO_VAULT,
    archive: NO_ARCHIVE,
    git: createGit({}),
    workspaces: openWorkspaces({
      git: createGit({}),
      directory: '/nowhere',
      holder: { name: '', isAlive: () => null },
    }),
    workspaceSettings: DEFAULT_WORKSPACES,
    runner: createRunner(),
    clock: systemClock,
    random: systemRandom,
    live: new LiveRuns(),
    owner,
    isAlive,
    offer: { host: owner.host, labels: [], sharedRoots: [] },
    knownAgents: [],
    agents: new Map([[AGENT, config]]),
    environment: {},
    settingsFor: async () => ({ resume: DEFAULT_RESUME, models: {}, fromEnvironment: {} }),
    limits: DEFAULT_LIMITS,
    timing: DEFAULT_TIMING,
    questions: DEFAULT_QUESTIONS,
    checkpoints: DEFAULT_CHECKPOINTS,
    keepText: async text => text,
    keepContext: async ({ text }) => text,
  }
}
