// J-8, I1, I5, I9: daemon and agents are killed with SIGKILL at random moments while jobs run.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JobDetails, Reprise } from '../../src/api.ts'
import type { Step } from '../../src/testing/fake-agent/script.ts'
import { type DaemonProcess, eventually, ServeWorld } from '../e2e/serve-world.ts'
import { chosenSeed, randomFrom } from './fault-world.ts'

const KILLS = Number(process.env.REPRISE_JOB_KILLS ?? 20)
const SEED = chosenSeed()
const JOBS = 8
const LONGEST_LIFE_MS = 2_500
const MAX_ATTEMPTS = 500

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

const WORK: readonly Step[] = [
  { type: 'text', text: ['Let me see. ', { sleepMs: 100 }, 'One moment.'] },
  { type: 'orphan', seconds: 300, ownSession: true },
  { type: 'tool', name: 'Bash', input: { command: 'make' }, result: 'made' },
  { type: 'sleep', ms: 250 },
  { type: 'text', text: ['It is ', { sleepMs: 250 }, 'made.'] },
]

test(`J-8 J-6 I1 I5 I9 ${KILLS} kills of daemon and agents under ${JOBS} jobs`, {
  timeout: 120_000 + KILLS * 20_000,
}, async () => {
  const random = randomFrom(SEED)
  world.script([{ do: WORK }])
  const repositories = Array.from({ length: JOBS }, (_, index) => newRepository(`work-${index}`))
  const before = repositories.map(stateOf)
  let daemon = await world.serve(['--port', '0', '--workers', String(JOBS)])
  const reprise = world.connect(daemon)
  const acknowledged = new Set<string>()
  let isOver = false
  const submitters = repositories.map(async (workDir, index) => {
    for (let number = 1; !isOver; number += 1) {
      const id = await submitOne(reprise, { workDir, name: `job ${index}-${number}` })
      acknowledged.add(id)
      await reprise.jobs.wait(id)
    }
  })
  let agentKills = 0
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await sleep(random() * LONGEST_LIFE_MS)
    const agents = world.agentProcesses()
    const victim = agents[Math.floor(random() * agents.length)]
    if (victim !== undefined && random() < 0.5) agentKills += killed(victim)
    if (random() < 0.7) daemon = await restarted(daemon)
  }
  isOver = true
  await Promise.all(submitters)
  const jobs = await allJobs(reprise)

  expect(jobs.map(({ id }) => id).toSorted()).toEqual([...acknowledged].toSorted())
  const ends = Object.entries(Object.groupBy(jobs, job => job.status)).map(
    ([status, list]) => `${list?.length} ${status}`,
  )
  expect(
    jobs.filter(job => job.status !== 'completed').map(job => [job.status, job.words]),
  ).toEqual([])
  for (const job of jobs) expectSound(job)
  daemon.signal('SIGTERM')
  expect((await daemon.end).code).toBe(0)
  await eventually(() => world.agentProcesses().length === 0)
  expect(await world.json(['verify'])).toEqual({ ok: true, violations: [] })
  // What is the user's is as it was, but for nothing at all.
  expect(repositories.map(stateOf)).toEqual(before)
  // Every ref leads to all it needs; a commit whose daemon died before its ref was there is git's to clean up.
  for (const root of repositories)
    expect(git(root, 'fsck', '--connectivity-only', '--no-dangling')).toBe('')
  const attempts = jobs.reduce((sum, job) => sum + job.attempts.length, 0)
  const resumed = jobs
    .flatMap(job => job.attempts.slice(1))
    .filter(run => run.sessionResumed).length
  process.stderr.write(
    `${KILLS} kills, seed ${SEED}: ${jobs.length} jobs (${ends.join(', ')}), ${attempts} attempts, ${resumed} of them resumed, ${agentKills} agents killed by themselves\n`,
  )
  await reprise.close()
})

function expectSound(job: JobDetails): void {
  expect(job.attempts.length).toBeLessThanOrEqual(MAX_ATTEMPTS)
  expect(job.attempts.every(run => run.endedAt !== null)).toBe(true)
  expect(job.attempts.filter(run => run.status === 'completed')).toHaveLength(1)
  expect(job.attempts.map(run => run.attempt)).toEqual(job.attempts.map((_, index) => index + 1))
  expect(job.checkpoints.map(point => point.number)).toEqual(
    job.checkpoints.map((_, index) => index + 1),
  )
}

async function submitOne(
  reprise: Reprise,
  { workDir, name }: { workDir: string; name: string },
): Promise<string> {
  const submit = () =>
    reprise.jobs.submit({
      prompt: name,
      workDir,
      maxAttempts: MAX_ATTEMPTS,
      maxWaits: MAX_ATTEMPTS,
      backoff: { firstMs: 20, maxMs: 200 },
      key: { key: name, request: name, note: '' },
    })
  // A probe of the agent that was killed is told, not stored.
  for (;;) {
    const submitted = await submit().catch(error => {
      if (error?.code !== 'agent-unusable') throw error
      return null
    })
    if (submitted) return submitted.id
  }
}

async function allJobs(reprise: Reprise): Promise<readonly JobDetails[]> {
  const list = await reprise.jobs.list({ limit: 10_000 })
  return Promise.all(list.map(({ id }) => reprise.jobs.get(id)))
}

async function restarted(daemon: DaemonProcess): Promise<DaemonProcess> {
  daemon.signal('SIGKILL')
  await daemon.end
  return world.serve(['--port', String(daemon.port), '--workers', String(JOBS)])
}

function killed(pid: number): number {
  try {
    process.kill(pid, 'SIGKILL')
    return 1
  } catch {
    return 0 // It was faster.
  }
}

function newRepository(name: string): string {
  const root = world.path(name)
  mkdirSync(root)
  git(root, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(root, 'tracked.txt'), 'one\n')
  git(root, 'add', '.')
  git(root, '-c', 'user.name=u', '-c', 'user.email=u@localhost', 'commit', '--quiet', '-m', 'first')
  writeFileSync(join(root, 'tracked.txt'), 'changed\n')
  writeFileSync(join(root, 'new.txt'), 'new\n')
  return root
}

/** All that is the user's: refs, index, config, hooks, stash, files. Our refs and objects are left out. */
function stateOf(root: string): unknown {
  const own = ['HEAD', 'index', 'config', 'refs/heads/main', 'logs/HEAD']
  return {
    own: own.map(name => readFileSync(join(root, '.git', name)).toString('base64')),
    hooks: readdirSync(join(root, '.git/hooks')),
    refs: git(root, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags'),
    stash: git(root, 'stash', 'list'),
    files: readdirSync(root)
      .filter(name => name !== '.git')
      .map(name => [name, readFileSync(join(root, name), 'utf8')]),
  }
}

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: world.root, GIT_OPTIONAL_LOCKS: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
