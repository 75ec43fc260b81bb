// J-8, I1, I2, I5: workers on several hosts are killed, paused past their leases and cut off from the database while jobs are kept running.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JobDetails, LocalReprise } from '../../src/api.ts'
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { chosenSeed, countOf } from '../counts.ts'
import { builtFakeAgent } from '../fake-agent.ts'
import { type DatabaseProxy, startProxy } from '../postgres/proxy.ts'
import { newDatabase, type TestDatabase } from '../postgres/shared.ts'
import { type HostPlace, openHost, sharedRootOf } from '../scenarios/hosts/host.ts'
import { randomFrom } from './fault-world.ts'

const FAULTS = countOf('REPRISE_HOST_FAULTS', { usual: 4, storm: 10 })
const PROGRAM = fileURLToPath(new URL('../scenarios/hosts/host.ts', import.meta.url))
const HOSTS = 3
const STREAMS = countOf('REPRISE_HOST_STREAMS', { usual: 3, storm: 6 })
/** Longer than the lease of a run and than a heartbeat of its work. */
const PAUSE_MS = 15_000
const MADE = 'made.log'

/** An attempt that follows another one finds the work in its session, and must not do it again. */
const SCRIPT: FakeScript = [
  { when: 'was interrupted', do: [{ type: 'text', text: 'finished' }] },
  {
    do: [
      { type: 'text', text: ['Let me see. ', { sleepMs: 200 }, 'One moment.'] },
      {
        ...{ type: 'tool', name: 'Bash', input: { command: 'make' }, result: 'made' },
        appends: { file: MADE, line: 'made' },
      } as const,
      { type: 'sleep', ms: 400 },
      { type: 'text', text: ['It is ', { sleepMs: 400 }, 'made.'] },
    ],
  },
]

type Host = {
  readonly process: ChildProcess
  readonly proxy: DatabaseProxy
}

let root: string
let database: TestDatabase
let executable: string
let submitter: LocalReprise
let hosts: Host[]
let started = 0

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-many-')))
  mkdirSync(sharedRootOf({ root }))
  database = await newDatabase()
  executable = await builtFakeAgent(root)
  writeFileSync(join(root, 'script.json'), JSON.stringify(SCRIPT))
  submitter = openHost(placeOf('submitter', { database: database.url, workers: 0 }))
  hosts = []
  for (let count = 0; count < HOSTS; count++) hosts.push(await startHost())
})
afterEach(async () => {
  for (const host of hosts) await end(host)
  await submitter.close()
  await database.drop()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

test(`J-8 I1 I2 I5 ${FAULTS} faults of ${HOSTS} hosts under ${STREAMS} streams of jobs: none is lost, none is done twice`, {
  timeout: 300_000 + FAULTS * 60_000,
}, async () => {
  const { ends, finish } = keepRunning()
  const random = randomFrom(chosenSeed())
  const counts = { killed: 0, paused: 0, cut: 0, away: 0 }
  for (let fault = 0; fault < FAULTS; fault++) {
    await sleep(random() * 2_000)
    // The first four are one of each kind.
    const kind = KINDS[fault < KINDS.length ? fault : Math.floor(random() * KINDS.length)] ?? 'cut'
    counts[kind] += 1
    await FAULT[kind](Math.floor(random() * HOSTS))
  }
  await finish()
  const jobs = [...ends.values()]
  for (const job of jobs) expectSound(job)
  expect(await submitter.verify()).toEqual([])
  for (const host of hosts) await end(host)
  await expect.poll(agentProcesses).toEqual([])
  const attempts = jobs.reduce((sum, job) => sum + job.attempts.length, 0)
  console.info(`${jobs.length} jobs, ${attempts} attempts; hosts ${JSON.stringify(counts)}`)
})

const KINDS = ['killed', 'paused', 'cut', 'away'] as const

const FAULT: Record<(typeof KINDS)[number], (at: number) => Promise<void>> = {
  /** Another host takes its place. */
  async killed(at) {
    const [host] = hosts.splice(at, 1, await startHost())
    if (host) await end(host)
  },
  async paused(at) {
    const { pid } = hosts[at]?.process ?? {}
    if (pid === undefined) return
    process.kill(pid, 'SIGSTOP')
    await sleep(PAUSE_MS)
    process.kill(pid, 'SIGCONT')
  },
  async cut(at) {
    hosts[at]?.proxy.cut()
  },
  async away(at) {
    hosts[at]?.proxy.refuse()
    await sleep(2_000)
    hosts[at]?.proxy.heal()
  },
}

/** In each stream one job after the other, each in a directory of its own that all hosts share. */
function keepRunning() {
  const ends = new Map<string, JobDetails>()
  let isOver = false
  const streams = Array.from({ length: STREAMS }, async (_, stream) => {
    for (let number = 1; !isOver; number += 1) {
      const workDir = join(sharedRootOf({ root }), `${stream}-${number}`)
      mkdirSync(workDir)
      const { id } = await submitter.jobs.submit({
        prompt: `job ${stream}-${number}`,
        workDir,
        maxAttempts: 100,
        maxWaits: 100,
        backoff: { firstMs: 20, maxMs: 200 },
      })
      ends.set(id, await submitter.jobs.wait(id))
    }
  })
  const finish = () => {
    isOver = true
    return Promise.all(streams)
  }
  return { ends, finish }
}

function expectSound({ id, status, words, attempts, workDir }: JobDetails): void {
  expect(status, `${id} ${words}`).toBe('completed')
  expect(attempts.map(run => run.attempt)).toEqual(attempts.map((_, index) => index + 1))
  expect(attempts.filter(run => run.status === 'completed')).toHaveLength(1)
  const made = join(workDir, MADE)
  const lines = existsSync(made) ? readFileSync(made, 'utf8').split('\n').length - 1 : 0
  expect(lines, `${id} did its work ${lines} times`).toBeLessThanOrEqual(1)
  if (attempts.length === 1) expect(lines).toBe(1)
}

function placeOf(name: string, given: Pick<HostPlace, 'database' | 'workers'>): HostPlace {
  const env = { FAKE_AGENT_SCRIPT: join(root, 'script.json') }
  return { ...given, root, name, executable, env }
}

async function startHost(): Promise<Host> {
  started += 1
  const proxy = await startProxy(database.url)
  const place = placeOf(`host-${started}`, { database: proxy.url, workers: 2 })
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(place)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return { process: child, proxy }
}

async function end({ process: child, proxy }: Host): Promise<void> {
  const gone = once(child, 'exit')
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await gone
  }
  await proxy.close()
}

/** Processes of this test's agents that still live. */
function agentProcesses(): readonly string[] {
  const marker = `FAKE_AGENT_SCRIPT=${join(root, 'script.json')}`
  return readdirSync('/proc').filter(name => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readFileSync(`/proc/${name}/environ`, 'latin1').includes(marker)
    } catch {
      return false // Gone, or somebody else's.
    }
  })
}
