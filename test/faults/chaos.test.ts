// J-5, J-8, I1, I2, I5, I8, I9: hosts are killed, paused past their leases and cut off, PostgreSQL is restarted, replies are lost, while
// jobs and conversations go on. Nothing may be lost, doubled, stuck, or written by a host that has lost its run.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
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
import { directoryOfJob } from './chaos-agent.ts'
import { endedJobs, NOTHING, openRuns, whatIsWrong, whatJobsWaitFor } from './chaos-findings.ts'
import { type ChaosHost, executableOf, openChaosHost, sharedRootOf } from './chaos-host.ts'
import { randomFrom } from './fault-world.ts'

const JOBS = countOf('REPRISE_CHAOS_JOBS', { usual: 15, storm: 100 })
/** A large run may end by time: after so many minutes no further job begins, and the table says how many there were. */
const MINUTES = Number(process.env.REPRISE_CHAOS_MINUTES ?? Number.POSITIVE_INFINITY)
/** How many jobs a host works on at a time. Most of them wait for the lease of a dead host, so a large run needs more than a small one. */
const WIDTH = countOf('REPRISE_CHAOS_WIDTH', { usual: 4, storm: 8 })
/** For contrast: the test fails without `fencing`, and without `keys` (request keys). */
const WITHOUT = process.env.REPRISE_CHAOS_WITHOUT
const PROGRAM = fileURLToPath(new URL('./chaos-host.ts', import.meta.url))
const HOSTS = 3
const STREAMS = HOSTS * WIDTH
/** Between two faults so many jobs and turns end, one of the jobs among them: also a slow machine gets on. */
const CALM = 8
/** After this long without the end of a job, the test says what the open ones wait for; after the longer time it fails. No fault comes meanwhile. */
const STALL_MS = { isSaid: 60_000, fails: 300_000 } as const
const LEASE_MS = { min: 6_000, max: 15_000 } as const
/** A worker without a heartbeat for so long has lost its work. */
const BEAT_MS = 15_000

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
/** Long enough for the machine as it is now, so that hosts lose leases by faults, not because they are slow. */
let leaseMs: number
/** How many jobs were begun, and which were acknowledged. */
let begun: number
let jobs: string[]
/** Those that have not ended. */
let waiting: Map<string, () => void>
/** What hosts have been promised, and what was refused to late ones. */
let turns: string[]
let refused: number
let ended: { jobs: number; turns: number }
/** Resolves when a commit got no reply, and nobody could say what became of it. */
let notKnown: PromiseWithResolvers<void>

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-chaos-')))
  mkdirSync(sharedRootOf({ root }))
  writeFileSync(executableOf({ root }), memoryExecutable(), { mode: 0o755 })
  server = await startPostgres(['max_connections=300'])
  proxy = await startProxy(server.url)
  const began = performance.now()
  leaseMs = LEASE_MS.min
  submitter = openChaosHost(hostOf('submitter', { database: proxy.url, workers: 0 }))
  await submitter.jobs.list()
  leaseMs = Math.round(Math.min(LEASE_MS.max, Math.max(leaseMs, 4 * (performance.now() - began))))
  hosts = []
  begun = 0
  jobs = []
  waiting = new Map()
  ended = { jobs: 0, turns: 0 }
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
  const over = allJobs()
  await isRepeated
  const counts = await faultsUntil(over)
  await over
  for (const { process: host } of hosts) host.stdin?.write('stop\n')
  await Promise.all(hosts.map(({ silent }) => silent))
  const isOpen = () => openRuns(server.url)
  await expect.poll(isOpen, { timeout: 120_000, interval: 500 }).toEqual([])
  const promised = { turns, jobs, wanted: begun }
  const found = await whatIsWrong(server.url, sharedRootOf({ root }), promised)
  const [totals] = await runOn(
    server.url,
    `select (select count(*)::int from reprise.jobs) as jobs,
      (select count(*)::int from reprise.runs where job_id is not null) as attempts,
      (select count(*)::int from reprise.runs where job_id is null) as turns`,
  )
  const acknowledged = { begun, acknowledged: turns.length, refused, leaseMs }
  console.info(JSON.stringify({ ...totals, ...acknowledged, ...counts, found }))
  expect(found).toEqual(NOTHING)
  expect(await submitter.verify()).toEqual([])
})

/** In each stream one job after the other, each with a request key and a directory that all hosts share. */
async function allJobs(): Promise<void> {
  const endsAt = performance.now() + MINUTES * 60_000
  const stream = async () => {
    while (begun < JOBS && performance.now() < endsAt) {
      begun += 1
      await oneJob(begun)
    }
  }
  const over = new AbortController()
  const watching = watchJobs(over.signal)
  await Promise.all(Array.from({ length: STREAMS }, stream))
  over.abort()
  await watching
}

async function oneJob(number: number): Promise<void> {
  const workDir = join(sharedRootOf({ root }), directoryOfJob(number))
  mkdirSync(workDir)
  const request = {
    ...{ prompt: `job ${number}`, workDir, checkpoints: 'off' as const },
    ...{ maxAttempts: 100, maxWaits: 100, backoff: { firstMs: 20, maxMs: 200 } },
    ...(WITHOUT !== 'keys' && { key: { key: `job ${number}`, request: 'same', note: '' } }),
  }
  const { id } = await untilAnswered(() => submitter.jobs.submit(request))
  jobs.push(id)
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.set(id, resolve)
  await promise
  ended.jobs += 1
}

/** The test looks at all jobs with one query: a wait for each of them would cost more than the hosts. */
async function watchJobs(over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await sleep(500)
    for (const id of await endedJobs(server.url, [...waiting.keys()])) {
      waiting.get(id)?.()
      waiting.delete(id)
    }
  }
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
    await untilCalm(() => isOver)
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

async function untilCalm(isOver: () => boolean): Promise<void> {
  const before = { ...ended }
  const isCalm = () =>
    ended.jobs > before.jobs && ended.jobs + ended.turns >= before.jobs + before.turns + CALM
  const since = performance.now()
  let sayAt = since + STALL_MS.isSaid
  while (!isOver() && !isCalm()) {
    await sleep(100)
    if (performance.now() < sayAt) continue
    sayAt += STALL_MS.isSaid
    const stalledMs = Math.round(performance.now() - since)
    const open = (await whatJobsWaitFor(server.url)).join('\n')
    const words = `${ended.jobs} jobs and ${ended.turns} turns have ended, too few of them in the last ${stalledMs} ms. Open:\n${open}`
    console.info(words)
    if (stalledMs > STALL_MS.fails && ended.jobs === before.jobs) throw new Error(words)
  }
}

async function pause(at: number): Promise<void> {
  const { pid } = hosts[at]?.process ?? {}
  if (pid === undefined) return
  process.kill(pid, 'SIGSTOP')
  // Longer than its leases and its heartbeats, and than it takes the others to notice.
  await sleep(Math.max(leaseMs, BEAT_MS) + 5_000)
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
    await sleep(random() * 2 * LEASE_MS.min)
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
    await sleep(leaseMs + LEASE_MS.min)
    hosts[at]?.proxy.heal()
  },
  async away(at) {
    hosts[at]?.proxy.refuse()
    await sleep(leaseMs + LEASE_MS.min)
    hosts[at]?.proxy.heal()
  },
}

function hostOf(name: string, given: Pick<ChaosHost, 'database' | 'workers'>): ChaosHost {
  const fencing = WITHOUT === 'fencing' ? 'off' : 'on'
  return { ...given, root, name, direct: server.url, fencing, streams: WIDTH / 4, leaseMs }
}

async function startHost(name: string): Promise<Host> {
  const own = await startProxy(server.url)
  const place = hostOf(name, { database: own.url, workers: WIDTH })
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(place)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Hosts are started often, and most of what a start costs is to read the program.
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'compiled') },
  })
  child.stdin.on('error', () => {}) // It was killed.
  const open = Promise.withResolvers<void>()
  const silent = Promise.withResolvers<void>()
  createInterface(child.stdout).on('line', line => {
    const [word, runId] = line.split(' ')
    if (word === 'open') open.resolve()
    if (word === 'silent') silent.resolve()
    if (word === 'turn' && runId) turns.push(runId)
    if (word === 'ended') ended.turns += 1
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
