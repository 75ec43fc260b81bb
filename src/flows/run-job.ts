// What is done when the engine hands out a job: end what broke off, settle what has ended, begin the next attempt or say when.
import type { Job } from '../core/job.ts'
import { OPEN_JOB_STATUSES } from '../core/job.ts'
import { retryPrompt } from '../core/job-prompt.ts'
import { nextStep, type Step, type StopReason, stepAfterFailedStart } from '../core/retry.ts'
import { OPEN_STATUSES, type Run } from '../core/run.ts'
import type { Handled, Handler } from '../engine/engine.ts'
import { RepriseError } from '../errors.ts'
import { checkpointAfter, checkpointBefore } from './job-checkpoints.ts'
import { attemptsOf, runsOf } from './job-runs.ts'
import { ensureNext } from './jobs.ts'
import type { LiveRuns } from './live-runs.ts'
import { mustExist } from './must-exist.ts'
import { openCallsOf } from './open-calls.ts'
import type { Parts } from './parts.ts'
import { recover } from './recover.ts'
import { removeOrphans } from './remove-checkpoints.ts'
import { sendTurn } from './send-turn.ts'
import { stoppedBefore } from './wait-for-turn.ts'

/** Another process is still at it. */
const BUSY_PAUSE_MS = 1_000

type Delivered = {
  readonly job: Job
  readonly runs: readonly Run[]
  readonly signal: AbortSignal
}

export function jobHandler(parts: Parts, live: LiveRuns): Handler {
  return ({ id, signal }) =>
    live.during(async () => {
      for (;;) {
        const job = await parts.store.job(id)
        if (!job) {
          await removeOrphans(parts, id)
          return { next: 'done' }
        }
        if (!OPEN_JOB_STATUSES.includes(job.status)) {
          await ensureNext(parts, job)
          return { next: 'done' }
        }
        const runs = await runsOf(parts, id)
        const handled = await advance(parts, live, { job, runs, signal })
        if (handled) return handled
      }
    })
}

/** `null`: something has changed, look again. */
async function advance(
  parts: Parts,
  live: LiveRuns,
  delivered: Delivered,
): Promise<Handled | null> {
  const { job, runs, signal } = delivered
  const now = parts.clock.now()
  const last = runs.at(-1)
  if (last && OPEN_STATUSES.includes(last.status)) return endBrokenOff(parts, live, last)
  if (last && last.id !== job.settledRunId) return settle(parts, delivered)
  if (job.cancelRequested) return stop(parts, job, { do: 'cancel' })
  const { queueTimeoutMs } = job.policy
  if (!last && queueTimeoutMs !== null && now > job.dueAt + queueTimeoutMs) {
    return stop(parts, job, dead({ code: 'waited-too-long', queueTimeoutMs }))
  }
  if ((job.nextAttemptAt ?? 0) > now) return { next: 'again', at: job.nextAttemptAt ?? now }
  // Who closes leaves it to the next; who lost it to another.
  if (signal.aborted || live.closing.aborted) return { next: 'again', at: now }
  return attempt(parts, live, delivered)
}

async function endBrokenOff(parts: Parts, live: LiveRuns, run: Run): Promise<Handled | null> {
  await live.writeEnds()
  await recover(parts, live, run.threadId)
  const current = await mustExist(parts.store.run(run.id), `run ${run.id}`)
  if (!OPEN_STATUSES.includes(current.status)) return null
  return { next: 'again', at: parts.clock.now() + BUSY_PAUSE_MS }
}

async function settle(parts: Parts, { job, runs }: Delivered): Promise<null> {
  await checkpointAfter(parts, job)
  const attempts = await attemptsOf(parts, job, runs)
  const now = parts.clock.now()
  const facts = { attempts, dueAt: job.dueAt, now, random: chanceOf(parts) }
  const decided = nextStep(facts, job.policy)
  const step: Step = job.cancelRequested && decided.do !== 'finish' ? { do: 'cancel' } : decided
  await parts.store.settleJob(job.id, { runId: runs.at(-1)?.id ?? null, step, now })
  return null
}

/** Without a run that led to it. */
async function stop(parts: Parts, job: Job, step: Step): Promise<null> {
  await parts.store.settleJob(job.id, { runId: null, step, now: parts.clock.now() })
  return null
}

async function attempt(
  parts: Parts,
  live: LiveRuns,
  { job, runs, signal }: Delivered,
): Promise<Handled | null> {
  const number = runs.length + 1
  const before = await checkpointBefore(parts, job, attemptName(job, number))
  if (before.state === 'conflict') {
    return stop(parts, job, failed({ code: 'conflicts', detail: before.detail }))
  }
  const sinceAsked = runs.slice(job.attemptsFrom)
  const spentUsd = sinceAsked.reduce((sum, run) => sum + (run.costUsd ?? 0), 0)
  const mustContinue = mustContinueAfter(job, sinceAsked)
  const prompt = await promptFor(parts, job, { runs, drift: before.drift, number })
  if (!(await parts.store.startAttempt(job.id, parts.clock.now()))) return null
  try {
    const one = { job, prompt, number, signal, spentUsd, mustContinue }
    await runAttempt(jobParts(parts, job), live, one)
  } catch (error) {
    return notRun(parts, live, { job, error })
  }
  return null
}

/** F-3: whatever keeps the session from being continued, now or when the agent is asked. */
function mustContinueAfter({ policy }: Job, runs: readonly Run[]): boolean {
  if (policy.onSideEffects !== 'stop') return false
  return runs.some(({ failure }) => (failure?.toolsRan ?? 0) > 0)
}

/** Known before its run is stored. */
const attemptName = (job: Job, number: number) => `${job.id}/${number}`

async function promptFor(
  parts: Parts,
  job: Job,
  { runs, drift, number }: { runs: readonly Run[]; drift: string | null; number: number },
): Promise<string> {
  const branch = await parts.store.branch(job.threadId)
  // The agent has never been told: nothing that could be continued.
  if (branch.length === 0) return job.prompt
  // One that never began has left nothing on the branch that could be missing there.
  const last = runs.findLast(run => run.startedAt !== null)
  const wasRestored = last !== undefined && !branch.some(message => message.runId === last.id)
  const happened = wasRestored ? 'restored' : (runs.at(-1)?.failure?.class ?? 'asked')
  const openCalls = wasRestored ? [] : await openCallsOf(parts, last)
  const mark = parts.random.promptMark()
  return retryPrompt({ happened, attempt: number, openCalls, drift, mark })
}

type OneAttempt = {
  readonly job: Job
  readonly prompt: string
  readonly number: number
  readonly signal: AbortSignal
  readonly spentUsd: number
  readonly mustContinue: boolean
}

async function runAttempt(
  parts: Parts,
  live: LiveRuns,
  { job, prompt, number, signal, spentUsd, mustContinue }: OneAttempt,
): Promise<void> {
  const thread = await mustExist(parts.store.thread(job.threadId), `thread ${job.threadId}`)
  const options = {
    agent: job.agent,
    ...(job.model !== null && { model: job.model }),
    workDir: job.workDir,
    permissionMode: job.permissionMode,
    allowedTools: job.allowedTools,
    disallowedTools: job.disallowedTools,
    ...(job.instructions !== null && { instructions: job.instructions }),
    freshSession: job.nextHow === 'fresh',
    // M-2: what earlier attempts have left of it.
    ...(job.policy.budgetUsd !== null && { budgetUsd: job.policy.budgetUsd - spentUsd }),
  }
  const control = { emit: () => {}, submitted: () => {}, signal: cancelledBy(signal) }
  const ofJob = { job: { id: job.id, attempt: number }, mustContinue }
  await sendTurn(parts, live, { thread, prompt, options, control, ...ofJob })
}

/** Only a cancel ends the run as cancelled; who closes stops its runs itself. */
function cancelledBy(signal: AbortSignal): AbortSignal {
  const cancelled = new AbortController()
  const tell = () => {
    if (signal.reason !== 'closing') cancelled.abort()
  }
  if (signal.aborted) tell()
  signal.addEventListener('abort', tell)
  return cancelled.signal
}

/** What a job says about limits and resuming, in the place of what is said for all. */
function jobParts(parts: Parts, { policy }: Job): Parts {
  const { timeoutMs, idleTimeoutMs, maxFruitlessResumes, resume } = policy
  return {
    ...parts,
    limits: { ...parts.limits, totalMs: timeoutMs, silenceMs: idleTimeoutMs },
    settingsFor: async workDir => {
      const settings = await parts.settingsFor(workDir)
      const ofJob = {
        maxFruitlessResumes,
        // D-8: the work of a job is in its directory, wherever that has been moved to.
        onWorkDirChange: 'relocate' as const,
        ...(resume === 'never' && { mode: 'never' as const }),
      }
      return { ...settings, resume: { ...settings.resume, ...ofJob } }
    },
  }
}

const START_ERRORS: ReadonlySet<string> = new Set([
  'agent-missing',
  'agent-unusable',
  'bad-input',
  'not-found',
])

/** No run, or one whose end is recorded. `null`: look at the job again. */
async function notRun(
  parts: Parts,
  live: LiveRuns,
  { job, error }: { readonly job: Job; readonly error: unknown },
): Promise<null> {
  if (live.closing.aborted) return leaveInOrder(parts, job)
  if (!(error instanceof RepriseError)) throw error
  if (START_ERRORS.has(error.code)) return notStarted(parts, job, error)
  if (error.code === 'cancelled') return null
  throw error
}

/** The job says what is missing, and when it is tried again. */
async function notStarted(parts: Parts, job: Job, { message, hint }: RepriseError): Promise<null> {
  const before = job.step?.do === 'retry' ? job.step.reason : null
  const inARow = before?.code === 'not-started' ? before.inARow + 1 : 1
  const now = parts.clock.now()
  const { nextHow: how, dueAt, policy } = job
  const facts = { message, hint, inARow, how, dueAt, now, random: chanceOf(parts) }
  return stop(parts, job, stepAfterFailedStart(facts, policy))
}

/** This process stops before the attempt began: nobody has to find out later that it did not die. */
async function leaveInOrder(parts: Parts, job: Job): Promise<null> {
  const now = parts.clock.now()
  const last = (await runsOf(parts, job.id)).at(-1)
  if (last?.status === 'queued') {
    await parts.store.abandonQueued(last.id, parts.owner, stoppedBefore(last), now)
    return null
  }
  if (last && last.id !== job.settledRunId) return null
  const reason = { code: 'outside', class: 'shutdown', inARow: 1 } as const
  const step: Step = { do: 'retry', while: 'waiting', at: now, how: job.nextHow, reason }
  return stop(parts, job, step)
}

const failed = (reason: StopReason): Step => ({ do: 'stop', as: 'failed', reason })
const dead = (reason: StopReason): Step => ({ do: 'stop', as: 'dead', reason })

function chanceOf({ random }: Parts): number {
  return Number.parseInt(random.uuid().slice(0, 8), 16) / 2 ** 32
}
