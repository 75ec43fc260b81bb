// J-8, J-6, I1, I5, I9: daemon and agents are killed with SIGKILL at random moments while jobs are kept running.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JobDetails, JobRequest, Reprise } from '../../src/api.ts'
import type { Run } from '../../src/core/run/run.ts'
import type { ScriptStep } from '../../src/testing/fake-agent/script.ts'
import { chosenSeed, countOf } from '../counts.ts'
import { type DaemonProcess, eventually, ServeWorld } from '../e2e/daemon/serve-world.ts'
import { randomFrom } from './fault-world.ts'
import { UserRepository } from './user-repository.ts'

const KILLS = countOf('REPRISE_JOB_KILLS', { usual: 6, storm: 40 })
const SEED = chosenSeed()
const JOBS = countOf('REPRISE_KILLED_JOBS', { usual: 4, storm: 8 })
/** How long after an agent is at work somebody is killed. */
const LONGEST_LIFE_MS = 1_500
const BUSY_MS = 3_000
const MADE = 'made.log'
/** Of every second job: few enough that some jobs are given up. */
const FEW = { maxAttempts: 2, maxWaits: 3 }
const MANY = { maxAttempts: 1_000, maxWaits: 1_000 }

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

const WORK: readonly ScriptStep[] = [
  { type: 'text', text: ['Let me see. ', { sleepMs: 100 }, 'One moment.'] },
  { type: 'orphan', seconds: 300, ownSession: true },
  {
    ...{ type: 'tool', name: 'Bash', input: { command: 'make' }, result: 'made' },
    appends: { file: MADE, line: 'made' },
  } as const,
  { type: 'sleep', ms: 250 },
  { type: 'text', text: ['It is ', { sleepMs: 250 }, 'made.'] },
]

type Killed = { daemons: number; starting: number; agents: number }

test(`J-8 J-6 I1 I5 I9 ${KILLS} kills of daemon and agents under ${JOBS} jobs`, {
  timeout: 120_000 + KILLS * 20_000,
}, async () => {
  const startedMs = performance.now()
  world.script([{ do: WORK }])
  const repositories = Array.from(
    { length: JOBS },
    (_, index) => new UserRepository(world.path(`work-${index}`), world.root),
  )
  const before = repositories.map(repository => repository.state(MADE))
  const daemon = await world.serve(['--port', '0', '--workers', String(JOBS)])
  const reprise = world.connect(daemon)
  // Known before the first kill: to ask for each job at once what program it is would take all of its first lives.
  await world.list(['agents'])
  const { ended, ends, finish } = keepRunning(reprise, repositories)
  // A stream that breaks off is the end of the test, not only of itself.
  const { last, killed } = await Promise.race([killMany(daemon), ended])
  await finish()
  const jobs = await allJobs(reprise)
  await reprise.close()

  // Nothing acknowledged is lost, nothing is there twice, and an end that was reported is the end.
  const reported = [...ends.values()].map(({ id, status, endedAt }) => ({ id, status, endedAt }))
  expect(jobs.map(({ id, status, endedAt }) => ({ id, status, endedAt }))).toEqual(
    reported.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  for (const job of jobs) expectSound(job)
  last.signal('SIGTERM')
  expect((await last.end).code).toBe(0)
  await eventually(() => world.agentProcesses().length === 0)
  expect(await world.json(['verify'])).toEqual({ ok: true, violations: [] })
  expect(repositories.map(repository => repository.state(MADE))).toEqual(before)
  for (const repository of repositories) expectKept(repository, jobs)
  report(jobs, killed, performance.now() - startedMs)
})

type Streams = {
  /** How each job ended, as its submitter saw it. */
  readonly ends: ReadonlyMap<string, JobDetails>
  /** Rejects when they break off. */
  readonly ended: Promise<never>
  /** Submits no more, and waits for what is submitted. */
  finish(): Promise<unknown>
}

/** In each repository one job after the other, half of them with small caps. */
function keepRunning(reprise: Reprise, repositories: readonly UserRepository[]): Streams {
  const ends = new Map<string, JobDetails>()
  let isOver = false
  const streams = repositories.map(async ({ root: workDir }, index) => {
    for (let number = 1; !isOver; number += 1) {
      const caps = number % 2 === 0 ? FEW : MANY
      const prompt = `job ${index}-${number}`
      const { id } = await submitOne(reprise, { ...caps, workDir, prompt })
      ends.set(id, await reprise.jobs.wait(id))
    }
  })
  const all = Promise.all(streams)
  const ended = all.then(() => Promise.reject(new Error('the streams ended by themselves')))
  const finish = () => {
    isOver = true
    return all
  }
  return { ends, ended, finish }
}

/** One at a time, so that everything has its moments: the daemon, one that has just been started, an agent. */
async function killMany(first: DaemonProcess): Promise<{ last: DaemonProcess; killed: Killed }> {
  const random = randomFrom(SEED)
  const killed: Killed = { daemons: 0, starting: 0, agents: 0 }
  let last = first
  while (killed.daemons + killed.agents + killed.starting < KILLS) {
    await busy(random)
    await sleep(random() * LONGEST_LIFE_MS)
    const what = random()
    if (what < 0.4) killed.agents += killOne(random)
    else {
      last.signal('SIGKILL')
      await last.end
      killed.daemons += 1
      const args = ['--port', String(last.port), '--workers', String(JOBS)]
      if (what > 0.9) killed.starting += await killedAtStart(args, random)
      last = await world.serve(args)
    }
  }
  return { last, killed }
}

/** Mostly half of the agents talk when somebody dies, the others start or are looked after; sometimes the first has just begun. */
async function busy(random: () => number): Promise<void> {
  const wanted = random() < 0.7 ? JOBS / 2 : 1
  const limit = performance.now() + BUSY_MS
  while (agents().length < wanted && performance.now() < limit) await sleep(20)
}

async function killedAtStart(args: readonly string[], random: () => number): Promise<1> {
  const child = world.startServe(args)
  const gone = new Promise(resolve => child.once('exit', resolve))
  await sleep(random() * 800)
  child.kill('SIGKILL')
  await gone
  return 1
}

function killOne(random: () => number): number {
  const pids = agents()
  const victim = pids[Math.floor(random() * pids.length)]
  if (victim === undefined) return 0
  try {
    process.kill(victim, 'SIGKILL')
    return 1
  } catch {
    return 0 // It was faster.
  }
}

/** The agents themselves, without what their tools have left. */
function agents(): readonly number[] {
  return world.agentProcesses().filter(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('stream-json')
    } catch {
      return false // Gone.
    }
  })
}

async function submitOne(reprise: Reprise, request: JobRequest): Promise<JobDetails> {
  const { prompt } = request
  return reprise.jobs.submit({
    ...request,
    backoff: { firstMs: 20, maxMs: 200 },
    key: { key: prompt, request: prompt, note: '' },
  })
}

async function allJobs(reprise: Reprise): Promise<readonly JobDetails[]> {
  const list = await reprise.jobs.list({ limit: 100_000 })
  const jobs = await Promise.all(list.map(({ id }) => reprise.jobs.get(id)))
  return jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function expectSound(job: JobDetails): void {
  const { attempts, status, policy } = job
  expect(attempts.every(run => run.endedAt !== null)).toBe(true)
  expect(attempts.map(run => run.attempt)).toEqual(attempts.map((_, index) => index + 1))
  const counted = attempts.filter(run => run.continuedBy === null)
  const completed = counted.filter(run => run.status === 'completed')
  const waits = counted.filter(run => run.failure?.class === 'supervisor-died')
  const worked = counted.length - waits.length - completed.length
  expect(waits.length, job.id).toBeLessThanOrEqual(policy.maxWaits)
  expect(worked + completed.length, job.id).toBeLessThanOrEqual(policy.maxAttempts)
  expect(completed, `${job.id} ${job.words}`).toHaveLength(status === 'completed' ? 1 : 0)
  if (status === 'completed') return
  // Given up only by its own rules.
  const used = worked === policy.maxAttempts || waits.length === policy.maxWaits
  expect({ status, used }, `${job.id} ${job.words}`).toEqual({ status: 'dead', used: true })
}

function expectKept(repository: UserRepository, jobs: readonly JobDetails[]): void {
  expect(repository.broken()).toBe('')
  const ofThis = jobs.filter(job => job.workDir === repository.root)
  const refs = repository.checkpointRefs()
  expect([...refs.keys()].toSorted()).toEqual(ofThis.map(job => job.id).toSorted())
  for (const { id, checkpoints, status } of ofThis) {
    expect(checkpoints.map(point => point.number)).toEqual(checkpoints.map((_, at) => at + 1))
    expect(checkpoints.map(point => point.ref).toSorted()).toEqual(refs.get(id)?.toSorted())
    const made = checkpoints.filter(({ commit }) => {
      return repository.git('ls-tree', '--name-only', commit).includes(MADE)
    })
    if (status === 'completed') expect(made.length, id).toBeGreaterThan(0)
  }
  const done = ofThis.filter(job => job.status === 'completed').length
  const lines = repository.lines(MADE)
  expect(lines.length).toBeGreaterThanOrEqual(done)
  expect(lines.filter(line => line !== 'made')).toEqual([])
}

function report(jobs: readonly JobDetails[], killed: Killed, ms: number): void {
  const ends = Object.entries(Object.groupBy(jobs, job => job.status))
  const words = ends.map(([status, list]) => `${list?.length} ${status}`).join(', ')
  const runs: readonly Run[] = jobs.flatMap(job => job.attempts)
  const again = jobs.flatMap(job => job.attempts.slice(1))
  const resumed = again.filter(run => run.sessionResumed).length
  const checkpoints = jobs.reduce((sum, job) => sum + job.checkpoints.length, 0)
  process.stderr.write(
    `${KILLS} kills in ${Math.round(ms / 1_000)} s, seed ${SEED}, ${JSON.stringify(killed)}: ${jobs.length} jobs (${words}), ${runs.length} attempts, ${resumed} of ${again.length} further ones resumed, ${checkpoints} checkpoints\n`,
  )
}
