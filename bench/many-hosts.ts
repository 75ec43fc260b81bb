// Several hosts on one PostgreSQL: jobs per second with 1, 2 and 4 workers, from `kill -9` of a worker to the resumed turn elsewhere, how
// soon others hear of an event, and what the copy of a session costs a turn: node bench/many-hosts.ts [rounds]
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LocalReprise } from '../src/api.ts'
import { postgres } from '../src/store/postgres/postgres.ts'
import { memoryExecutable } from '../src/testing/fake-runner.ts'
import { started as startedRun } from '../src/testing/store-conformance/samples.ts'
import { NO_VAULT } from '../src/vault/vault.ts'
import { THINKS_MS } from '../test/faults/chaos-agent.ts'
import {
  type ChaosHost,
  executableOf,
  openChaosHost,
  sharedRootOf,
} from '../test/faults/chaos-host.ts'
import { startPostgres } from '../test/postgres/server.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const JOBS_PER_WORKER = 16
const AT_A_TIME = 2
const PROGRAM = fileURLToPath(new URL('../test/faults/chaos-host.ts', import.meta.url))

const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-bench-')))
mkdirSync(sharedRootOf({ root }))
writeFileSync(executableOf({ root }), memoryExecutable(), { mode: 0o755 })
const server = await startPostgres(['max_connections=300'])
let names = 0
try {
  await feedLatency()
  await costOfVault()
  await scaling()
  await killToResume()
} finally {
  await server.stop()
  rmSync(root, { recursive: true, force: true })
}

function hostOf(change: Partial<ChaosHost> = {}): ChaosHost {
  names += 1
  const url = server.url
  return {
    ...{ root, name: `host-${names}`, database: url, direct: url, workers: 0 },
    ...{ fencing: 'on', streams: 0, ...change },
  }
}

/** From the moment before an event is written in one process' store until another one is woken. */
async function feedLatency(): Promise<void> {
  const [writer, reader] = [await postgres(server.url)(), await postgres(server.url)()]
  const { run, lease } = await startedRun(writer)
  let woken = () => {}
  const hangUp = reader.listen?.(() => woken())
  // Until the connection listens.
  const took: number[] = []
  for (let count = 0; count < 205; count += 1) {
    const { promise, resolve } = Promise.withResolvers<void>()
    woken = resolve
    const began = performance.now()
    await writer.appendEvents(lease, run.id, [{ at: count, type: 'text', json: '{}' }])
    await promise
    if (count >= 5) took.push(performance.now() - began)
  }
  hangUp?.()
  await Promise.all([writer.close(), reader.close()])
  console.log(
    `feed: another process hears of an event after ${shown(took)} ms (n = ${took.length})`,
  )
}

/** Turns of one thread with and without copies of its session, by turns. */
async function costOfVault(): Promise<void> {
  const [kept, not] = [openChaosHost(hostOf()), openChaosHost(hostOf(), { vault: NO_VAULT })]
  const took = { kept: [] as number[], not: [] as number[] }
  const threads = { kept: await threadOf(kept), not: await threadOf(not) }
  for (let round = 0; round < ROUNDS * 4; round += 1) {
    for (const which of ['kept', 'not'] as const) {
      const began = performance.now()
      await threads[which].send('say it again: was interrupted').result
      if (round > 0) took[which].push(performance.now() - began)
    }
  }
  await Promise.all([kept.close(), not.close()])
  const median = (of: readonly number[]) => quantile(of, 0.5)
  const more = median(took.kept) - median(took.not)
  console.log(
    `vault: a turn takes ${median(took.kept).toFixed(0)} ms with a copy of its session, ${median(took.not).toFixed(0)} ms without, ${more.toFixed(0)} ms more (n = ${took.kept.length})`,
  )
}

function threadOf(reprise: LocalReprise) {
  return reprise.threads.create({ workDir: sharedRootOf({ root }) })
}

/**
 * Agents that wait, as for a model, two at a time per worker, and as many jobs for each worker: what one worker can do, several can
 * do side by side as long as the database and the cores bear it. `of` is what the waiting alone allows.
 */
async function scaling(): Promise<void> {
  const submitter = openChaosHost(hostOf())
  const speeds: number[] = []
  const words: string[] = []
  for (const workers of [1, 2, 4]) {
    const hosts = await Promise.all(
      Array.from({ length: workers }, () => start({ workers: AT_A_TIME })),
    )
    const all = (jobs: number) =>
      Promise.all(Array.from({ length: jobs }, () => toItsEnd(submitter)))
    // A worker compiles its code with its first jobs.
    await all(workers * AT_A_TIME)
    const jobs = JOBS_PER_WORKER * workers
    const began = performance.now()
    await all(jobs)
    const speed = (jobs * 1_000) / (performance.now() - began)
    speeds.push(speed)
    const most = (workers * AT_A_TIME * 1_000) / THINKS_MS
    const ratio = speed / (speeds[0] ?? Number.NaN)
    words.push(`${speed.toFixed(1)}/s of ${most.toFixed(1)} (${ratio.toFixed(2)})`)
    for (const host of hosts) await end(host)
  }
  await submitter.close()
  console.log(`scaling: jobs with 1, 2 and 4 workers: ${words.join(', ')}`)
}

async function toItsEnd(reprise: LocalReprise): Promise<void> {
  const { id } = await reprise.jobs.submit(task('think'))
  await reprise.jobs.wait(id)
}

function task(prompt: string) {
  const workDir = join(sharedRootOf({ root }), `work-${Math.random().toString(36).slice(2)}`)
  mkdirSync(workDir)
  return { prompt, workDir, checkpoints: 'off', backoff: { firstMs: 20 } } as const
}

/** With the usual times: a heartbeat of 15 seconds, a lease of 30. */
async function killToResume(): Promise<void> {
  const submitter = openChaosHost(hostOf())
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = await start({ workers: 1 })
    const { id } = await submitter.jobs.submit(task('hang'))
    const attempts = async () => (await submitter.jobs.get(id)).attempts
    await until(async () => (await attempts())[0]?.status === 'running')
    const second = await start({ workers: 1 })
    const killedAt = Date.now()
    await end(first)
    await until(async () => ((await attempts())[1]?.startedAt ?? null) !== null)
    took.push(((await attempts())[1]?.startedAt ?? Number.NaN) - killedAt)
    await submitter.jobs.cancel(id)
    await end(second)
  }
  await submitter.close()
  const seconds = took.map(ms => ms / 1_000)
  console.log(`kill: the next attempt runs elsewhere after ${shown(seconds)} s (n = ${ROUNDS})`)
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 50))
}

async function start(change: Partial<ChaosHost>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(hostOf(change))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout ?? child, 'data')
  return child
}

async function end(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

function quantile(of: readonly number[], part: number): number {
  const sorted = of.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

function shown(of: readonly number[]): string {
  return `p50 ${quantile(of, 0.5).toFixed(1)}, p99 ${quantile(of, 0.99).toFixed(1)}`
}
