// Scenarios of jobs: work that is interrupted goes on where the agent was, in the same session, and nothing is done twice.
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { HAPPENED } from '../../../src/core/job/retry-words.ts'
import type { FailureClass } from '../../../src/core/run/run.ts'
import type { JobDetails } from '../../../src/index.ts'
import { append, fail, fake, outOfCredit, say, tooLong } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { isReal, type Kind } from '../harness/program.ts'
import { expectInOrder } from '../threads/continuing.ts'
import { useHarness } from '../threads/threads.ts'
import { checkpointScenarios } from './checkpoints.ts'
import { fresh, over, stuck, submit, TASK } from './job-acts.ts'
import { jobDecisionScenarios } from './job-decisions.ts'

export function jobScenarios(kind: Kind): void {
  describe(`jobs on ${kind}`, () => {
    const world = useHarness(kind)
    attemptScenarios(world)
    apiErrorScenarios(world)
    jobDecisionScenarios(world)
  })
}

/** The agent's own program has a part in each of these: what it saves, goes on with, refuses and reports. */
export function agentJobScenarios(kind: Kind): void {
  describe(`attempts of jobs on ${kind}`, () => attemptScenarios(useHarness(kind)))
}

/** Every error of the API, as the agent's own program reports it. */
export function apiErrorJobScenarios(kind: Kind): void {
  describe(`jobs and errors of the API on ${kind}`, () => apiErrorScenarios(useHarness(kind)))
}

function attemptScenarios(world: () => Harness): void {
  interruptionScenarios(world)
  failureScenarios(world)
  cancelScenarios(world)
  checkpointScenarios(world)
}

/** Long enough for a real agent to come to its second call on a quiet machine. */
const SHORT_LIMIT_MS = 6_000

/** Long enough for an agent to come to its second call: the slowest run before this one shows how busy the machine is. */
async function timeLimit({ reprise }: Harness): Promise<number> {
  const durations = (await reprise.runs.list()).map(run => run.durationMs ?? 0)
  return Math.max(SHORT_LIMIT_MS, 3 * Math.max(0, ...durations))
}

/** The second attempt knew the work of the first, got the task once, and did nothing twice. */
async function expectWentOn(world: Harness, job: JobDetails, effects: string): Promise<void> {
  expect(job).toMatchObject({ status: 'completed', failure: null })
  const [first, second] = job.attempts
  expect(job.attempts).toHaveLength(2)
  expect(second?.decision?.action).toBe('resume')
  expect(second).toMatchObject({ sessionResumed: true, sessionId: first?.sessionId })
  const saw = (await world.saw({ run: { id: second?.id ?? '' } })).join('\n')
  expect(saw.split(TASK)).toHaveLength(2)
  expect(saw).toContain('The work on this task was interrupted')
  expect(saw).toContain('This is attempt 2.')
  const everything = await world.model.everything(second?.id ?? '')
  expect(everything).toContain(effects)
  expect(readFileSync(effects, 'utf8')).toBe('done\n')
  for (const { id } of job.attempts) expect(world.processesOf(id)).toEqual([])
}

function interruptionScenarios(world: () => Harness): void {
  test('J-2 an agent killed with SIGKILL in the middle of a tool call goes on in the same session', async () => {
    const { job, effects, runId } = await stuck(world())
    world().model.plan([say('finished')])
    await world().killAgent(runId)
    const done = await over(world(), job)
    expect(done.attempts[0]?.failure?.class).toBe('agent-crashed')
    await expectWentOn(world(), done, effects)
  })

  test('J-1 J-2 U-3 a job ended in the middle of a tool call by its time limit goes on in the same session', async () => {
    const { job, effects } = await stuck(world(), { timeoutMs: await timeLimit(world()) })
    world().model.plan([say('finished')])
    const done = await over(world(), job)
    expect(done.attempts[0]?.failure?.class).toBe('too-slow')
    await expectWentOn(world(), done, effects)
    // The call that was running: whatever the agent says of it, it may have taken effect.
    const lastPrompt = (await world().saw({ run: { id: done.attempts[1]?.id ?? '' } })).at(-1) ?? ''
    expectInOrder(lastPrompt, ['it is not known whether they took effect', 'sleep 600'])
    expect(done.attempts[0]?.permissionMode).toBe('acceptEdits')
  })

  test('J-2 a job that Reprise left behind is taken up by the next one, in the same session', async () => {
    const { job, effects } = await stuck(world())
    await world().restart()
    world().model.plan([say('finished')])
    const done = await over(world(), job)
    expect(done.attempts[0]?.failure?.class).toBe('shutdown')
    await expectWentOn(world(), done, effects)
  })

  test('F-3 a job that must not start afresh after side effects stops when the agent refuses its session', async () => {
    const more = { onSideEffects: 'stop' } as const
    const { job, runId } = await stuck(world(), more)
    const { sessionId } = await world().reprise.runs.get(runId)
    const file = world().sessionFile(sessionId ?? '')
    await world().reprise.close()
    // After the decision, and before the agent looks for its session.
    world().programs.beforeNextStart(`rm '${file}'`)
    const spawns = world().spawns
    await world().restart()
    const done = await over(world(), job)
    expect(done.status).toBe('dead')
    expect(done.attempts.slice(1).map(({ failure }) => failure?.class)).toEqual([
      'resume-refused',
      'not-continued',
    ])
    expect(world().spawns - spawns).toBe(1)
  })
}

function apiErrorScenarios(world: () => Harness): void {
  test.each([
    ['401', 'failed', 'auth', fail(401)],
    ['400', 'failed', 'bad-request', fail(400)],
    ['402', 'failed', 'credit', fail(402)],
    ['400 for want of credit', 'failed', 'credit', outOfCredit],
    ['413', 'failed', 'too-long', fail(413)],
    ['400 for a prompt that is too long', 'failed', 'too-long', tooLong],
    ['529', 'waiting', 'overload', fail(529)],
    ['500', 'waiting', 'server-error', fail(500)],
    ['429 without a reset time', 'waiting', 'rate-limit', fail(429)],
  ] as const)(
    'J-4 an API that says %s: one start, and the job is %s because of %s',
    async (_, left, class_, act) => {
      world().model.plan([act])
      await expectOneStart(world(), { left, class_ })
    },
  )

  test('J-4 a refused connection: one start, and the job is waiting because of network', async () => {
    if (isReal(world().kind)) await world().restart({ agentEnv: await closedPort() })
    else world().model.plan([fake({ type: 'apiError', status: null })])
    await expectOneStart(world(), { left: 'waiting', class_: 'network' })
    await world().restart()
  })
}

function failureScenarios(world: () => Harness): void {
  test('J-3 J-4 a session that has become too long is left: the next attempt starts afresh with what is done', async () => {
    const { job, effects, runId } = await stuck(world())
    world().model.plan([tooLong])
    world().model.plan([say('finished')])
    const spawns = world().spawns
    await world().killAgent(runId)
    const done = await over(world(), job)
    expect(done.status).toBe('completed')
    expect(done.attempts.map(run => run.failure?.class ?? run.status)).toEqual([
      'agent-crashed',
      'too-long',
      'completed',
    ])
    expect(world().spawns - spawns).toBe(2)
    const last = done.attempts.at(-1)
    expect(last).toMatchObject({ sessionResumed: false, decision: { action: 'replay' } })
    const saw = (await world().saw({ run: { id: last?.id ?? '' } })).join('\n')
    expect(saw).toContain(TASK)
    expect(saw).toContain(effects)
    expect(readFileSync(effects, 'utf8')).toBe('done\n')
  })

  test('M-2 J-4 a budget that is spent stops the attempt in its middle, and the job with it', async () => {
    const effects = fresh(world(), 'effects')
    world().model.plan([append(effects, 'one'), append(effects, 'two'), say('done')])
    const job = await over(world(), await submit(world(), { budgetUsd: 0.000_001 }))
    expect(job.attempts.map(({ failure }) => failure)).toMatchObject([{ class: 'budget' }])
    expect(job).toMatchObject({ status: 'failed', failure: { class: 'budget' } })
    expect(world().processesOf(job.attempts[0]?.id ?? '')).toEqual([])
  })
}

/** As the table of a day in docs/retries.md begins: one start, then the end or a pause. */
async function expectOneStart(
  world: Harness,
  { left, class_ }: { readonly left: JobDetails['status']; readonly class_: FailureClass },
): Promise<void> {
  const spawns = world.spawns
  const backoff = { firstMs: 3_600_000, jitter: 0 }
  const job = await submit(world, { backoff })
  const { attempts, ...now } = await settled(world, job)
  expect(attempts.map(run => run.failure?.class)).toEqual([class_])
  expect(now.status).toBe(left)
  expect(now.words).toContain(HAPPENED[class_])
  expect(world.spawns - spawns).toBe(1)
  if (left === 'waiting') expect(now.nextAttemptAt).toBeGreaterThan(Date.now() + 3_000_000)
  await world.reprise.jobs.cancel(job.id)
}

/** Where nobody listens: the port of a server that has just been closed. */
async function closedPort(): Promise<Record<string, string>> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` }
}

async function settled(world: Harness, { id }: JobDetails): Promise<JobDetails> {
  for (;;) {
    const job = await world.reprise.jobs.get(id)
    if (job.status !== 'queued' && job.status !== 'running') return job
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

function cancelScenarios(world: () => Harness): void {
  test('J-7 a job cancelled in the middle of a tool call leaves no process', async () => {
    const { job, runId } = await stuck(world())
    const cancelled = await world().reprise.jobs.cancel(job.id)
    expect(cancelled).toMatchObject({ status: 'cancelled', attempts: [{ status: 'cancelled' }] })
    expect(world().processesOf(runId)).toEqual([])
  })
}
