// J-5, J-8, I1, I2, I5, I8, I9: hosts are killed, paused past their leases and cut off, PostgreSQL is restarted, replies are lost, while
// jobs and conversations go on. Nothing may be lost, doubled, stuck, or written by a host that has lost its run.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
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
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LocalReprise } from '../../src/api.ts'
import { memoryExecutable } from '../../src/testing/fake-runner.ts'
import { chosenSeed, countOf } from '../counts.ts'
import { type DatabaseProxy, startProxy } from '../postgres/proxy.ts'
import { type PostgresServer, startPostgres } from '../postgres/server.ts'
import { runOn } from '../postgres/shared.ts'
import {
  type ChaosHost,
  executableOf,
  LEASE_MS,
  MADE,
  openChaosHost,
  sharedRootOf,
} from './chaos-host.ts'
import { randomFrom } from './fault-world.ts'

const JOBS = countOf('REPRISE_CHAOS_JOBS', { usual: 15, storm: 100 })
/** For contrast: the test fails without `fencing`, and without `keys` (request keys). */
const WITHOUT = process.env.REPRISE_CHAOS_WITHOUT
const PROGRAM = fileURLToPath(new URL('./chaos-host.ts', import.meta.url))
const HOSTS = 3
const STREAMS = 24
/** Longer than the lease of a run, than a heartbeat of its work, and than it takes the others to notice. */
const PAUSE_MS = 20_000

type Host = {
  readonly name: string
  readonly process: ChildProcess
  readonly proxy: DatabaseProxy
  readonly open: Promise<void>
  readonly silent: Promise<void>
}

let root: string
let server: PostgresServer
let proxy: DatabaseProxy
let submitter: LocalReprise
let hosts: Host[]
/** What hosts have been promised, and what was refused to late ones. */
let turns: string[]
let refused: number
/** Resolves when a commit got no reply, and nobody could say what became of it. */
let notKnown: PromiseWithResolvers<void>

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-chaos-')))
  mkdirSync(sharedRootOf({ root }))
  writeFileSync(executableOf({ root }), memoryExecutable(), { mode: 0o755 })
  server = await startPostgres(['max_connections=300'])
  proxy = await startProxy(server.url)
  submitter = openChaosHost(hostOf('submitter', { database: proxy.url, workers: 0 }))
  await submitter.jobs.list()
  hosts = []
  turns = []
  refused = 0
  notKnown = Promise.withResolvers()
  for (let count = 1; count <= HOSTS; count++) hosts.push(await startHost(`host-${count}`))
  await Promise.all(hosts.map(({ open }) => open))
})
afterEach(async () => {
  for (const host of hosts) await end(host)
  await submitter.close()
  await proxy.close()
  await server.stop()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

test(`J-5 J-8 I1 I2 I5 I8 I9 ${JOBS} jobs and the conversations beside them survive what hosts, networks and PostgreSQL do`, {
  timeout: 600_000 + JOBS * 2_000,
}, async () => {
  const isRepeated = loseFirstReply()
  const jobs = allJobs()
  await isRepeated
  const counts = await faultsUntil(jobs.over)
  await jobs.over
  for (const { process: host } of hosts) host.stdin?.write('stop\n')
  await Promise.all(hosts.map(({ silent }) => silent))
  await expect.poll(openRuns, { timeout: 120_000, interval: 500 }).toEqual([])
  const found = await whatIsWrong()
  const [totals] = await runOn(
    server.url,
    `select (select count(*)::int from reprise.jobs) as jobs,
      (select count(*)::int from reprise.runs where job_id is not null) as attempts,
      (select count(*)::int from reprise.runs where job_id is null) as turns`,
  )
  console.info(JSON.stringify({ ...totals, acknowledged: turns.length, refused, ...counts, found }))
  expect(found).toEqual(NOTHING)
  expect(await submitter.verify()).toEqual([])
})

/** In each stream one job after the other, each with a request key and a directory that all hosts share. */
function allJobs(): { readonly over: Promise<void> } {
  let next = 1
  const stream = async () => {
    while (next <= JOBS) await oneJob(next++)
  }
  const over = Promise.all(Array.from({ length: STREAMS }, stream)).then(() => {})
  return { over }
}

async function oneJob(number: number): Promise<void> {
  const workDir = join(sharedRootOf({ root }), `job-${number}`)
  mkdirSync(workDir)
  const request = {
    ...{ prompt: `job ${number}`, workDir, checkpoints: 'off' as const },
    ...{ maxAttempts: 100, maxWaits: 100, backoff: { firstMs: 20, maxMs: 200 } },
    ...(WITHOUT !== 'keys' && { key: { key: `job ${number}`, request: 'same', note: '' } }),
  }
  const { id } = await untilAnswered(() => submitter.jobs.submit(request))
  await untilAnswered(() => submitter.jobs.wait(id))
}

/**
 * A job is stored, but the reply is lost, and the database is away for longer than the store asks what became of the commit: nobody
 * knows, so the user gets an error and submits the job again.
 */
async function loseFirstReply(): Promise<void> {
  const then = () => proxy.refuse()
  proxy.loseReplyToCommit({ after: 'insert into jobs', then })
  await notKnown.promise
  proxy.heal()
}

/** A user who gets an error gives the command again. */
async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (String(error).includes('nobody knows whether it did')) notKnown.resolve()
      await sleep(100)
    }
  }
}

const KINDS = ['restarted', 'killed', 'paused', 'lostReply', 'cut', 'silent', 'away'] as const
type Kind = (typeof KINDS)[number]

/** Every few seconds one of the faults, the first ones one of each kind. */
async function faultsUntil(over: Promise<void>): Promise<Record<Kind, number>> {
  const random = randomFrom(chosenSeed())
  const counts = { restarted: 0, killed: 0, paused: 0, lostReply: 0, cut: 0, silent: 0, away: 0 }
  let isOver = false
  void over.then(() => {
    isOver = true
  })
  const paused: Promise<void>[] = []
  for (let fault = 0; !isOver || fault < KINDS.length; fault += 1) {
    await sleep(500 + random() * 2_500)
    const kind = KINDS[fault < KINDS.length ? fault : Math.floor(random() * KINDS.length)] ?? 'cut'
    counts[kind] += 1
    const at = Math.floor(random() * HOSTS)
    // The others go on while a host is paused.
    if (kind === 'paused') paused.push(pause(at))
    else await FAULT[kind](at, random)
  }
  await Promise.all(paused)
  return counts
}

async function pause(at: number): Promise<void> {
  const { pid } = hosts[at]?.process ?? {}
  if (pid === undefined) return
  process.kill(pid, 'SIGSTOP')
  await sleep(PAUSE_MS)
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // It was killed meanwhile.
  }
}

type Fault = (at: number, random: () => number) => Promise<void>

const FAULT: Record<Exclude<Kind, 'paused'>, Fault> = {
  async restarted(_, random) {
    await server.halt(random() < 0.5 ? 'immediate' : 'fast')
    await sleep(random() * 2 * LEASE_MS)
    await server.resume()
  },
  /** It is started again, as a supervisor of services does. */
  async killed(at) {
    const host = hosts[at]
    if (host === undefined) return
    await end(host)
    hosts[at] = await startHost(host.name)
  },
  async lostReply() {
    proxy.loseReplyToCommit()
    for (const host of hosts) host.proxy.loseReplyToCommit()
  },
  async cut(at) {
    hosts[at]?.proxy.cut()
    proxy.cut()
  },
  async silent(at) {
    hosts[at]?.proxy.fallSilent()
    await sleep(2 * LEASE_MS)
    hosts[at]?.proxy.heal()
  },
  async away(at) {
    hosts[at]?.proxy.refuse()
    await sleep(2 * LEASE_MS)
    hosts[at]?.proxy.heal()
  },
}

const NOTHING = { lost: [], doubled: [], stuck: [], stale: [], twice: [] }

/** Read from the tables, not through Reprise. */
async function whatIsWrong(): Promise<Record<keyof typeof NOTHING, readonly unknown[]>> {
  const all = async (query: string) => {
    const rows = await runOn(server.url, query)
    return rows.map(row => Object.values(row).join(' '))
  }
  const known = new Set(await all('select id from reprise.runs'))
  const prompts = new Set(await all('select prompt from reprise.jobs'))
  const asked = Array.from({ length: JOBS }, (_, index) => `job ${index + 1}`)
  return {
    lost: [...turns.filter(id => !known.has(id)), ...asked.filter(job => !prompts.has(job))],
    doubled: [
      ...(await all('select prompt from reprise.jobs group by prompt having count(*) > 1')),
      ...(await all(`select job_id from reprise.runs where status = 'completed'
        and job_id is not null group by job_id having count(*) > 1`)),
    ],
    stuck: [
      ...(await all(`select id, status from reprise.jobs where status <> 'completed'`)),
      ...(await all(
        `select id from reprise.runs where status in ('queued', 'running', 'waiting')`,
      )),
    ],
    // A log ends once, with its end, and has no gaps.
    stale: await all(`select run_id from reprise.events group by run_id
      having count(*) filter (where type = 'ended') <> 1
      or max(seq) filter (where type = 'ended') <> max(seq)
      or count(*) <> max(seq)`),
    twice: asked.filter(job => workOf(job) > 1),
  }
}

/** How often the agents of a job did its work. */
function workOf(job: string): number {
  const made = join(sharedRootOf({ root }), job.replace(' ', '-'), MADE)
  return existsSync(made) ? readFileSync(made, 'utf8').split('\n').length - 1 : 0
}

async function openRuns(): Promise<readonly unknown[]> {
  const open = `select id from reprise.runs where status in ('queued', 'running', 'waiting')`
  return runOn(server.url, open).catch(() => ['not known'])
}

function hostOf(name: string, given: Pick<ChaosHost, 'database' | 'workers'>): ChaosHost {
  const fencing = WITHOUT === 'fencing' ? 'off' : 'on'
  return { ...given, root, name, direct: server.url, fencing, streams: 2, timing: 'short' }
}

async function startHost(name: string): Promise<Host> {
  const own = await startProxy(server.url)
  const place = hostOf(name, { database: own.url, workers: 8 })
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(place)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.on('error', () => {}) // It was killed.
  const open = Promise.withResolvers<void>()
  const silent = Promise.withResolvers<void>()
  createInterface(child.stdout).on('line', line => {
    const [word, runId] = line.split(' ')
    if (word === 'open') open.resolve()
    if (word === 'silent') silent.resolve()
    if (word === 'turn' && runId) turns.push(runId)
    if (word === 'refused') refused += 1
  })
  return { name, process: child, proxy: own, open: open.promise, silent: silent.promise }
}

async function end({ process: child, proxy: own }: Host): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  await own.close()
}
