// Works on a job that the engine hands out: ends a broken run, settles an ended one, begins the next attempt or says when.
import type { Job } from '../../core/job/job.ts'
import { OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import { retryPrompt } from '../../core/job/job-prompt.ts'
import {
  type JobStep,
  nextStep,
  type StopReason,
  stepAfterFailedStart,
} from '../../core/job/retry.ts'
import { OPEN_STATUSES, type Run } from '../../core/run/run.ts'
import type { Handled, Handler } from '../../engine/engine.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { stoppedBefore } from '../queue/wait-for-turn.ts'
import { openCallsOf } from '../recovery/open-calls.ts'
import { abandonLostAttempt, recover } from '../recovery/recover.ts'
import { sendTurn } from '../turn/send-turn.ts'
import type { TurnSettings } from '../turn/turn-input.ts'
import { enterWorkspace } from '../workspaces/enter-workspace.ts'
import { beforeAttempt, optionsOf, settingsOf } from './attempt-turn.ts'
import { checkpointAfter, checkpointBefore } from './job-checkpoints.ts'
import { attemptsOf, runsOf } from './job-runs.ts'
import { removeOrphans } from './remove-checkpoints.ts'
import { ensureNext } from './submit-job.ts'

/** How long to wait while another process still works on the job. */
const BUSY_PAUSE_MS = 1_000

type Delivered = {
  readonly job: Job
  readonly runs: readonly Run[]
  readonly signal: AbortSignal
}

export function jobHandler(dependencies: Dependencies): Handler {
  return ({ id, signal }) =>
    dependencies.live.during(async () => {
      for (;;) {
        const job = await dependencies.store.job(id)
        if (!job) {
          await removeOrphans(dependencies, id)
          return { next: 'done' }
        }
        if (!OPEN_JOB_STATUSES.includes(job.status)) {
          await ensureNext(dependencies, job)
          return { next: 'done' }
        }
        const runs = await runsOf(dependencies, id)
        const handled = await advance(dependencies, { job, runs, signal })
        if (handled) return handled
      }
    })
}

/** `null`: the job has changed; the caller reads it again. */
async function advance(dependencies: Dependencies, delivered: Delivered): Promise<Handled | null> {
  const { job, runs, signal } = delivered
  const now = dependencies.clock.now()
  const last = runs.at(-1)
  if (last && OPEN_STATUSES.includes(last.status)) return endBrokenOff(dependencies, last)
  if (last && last.id !== job.settledRunId) return settle(dependencies, delivered)
  if (job.cancelRequested) return stop(dependencies, job, { do: 'cancel' })
  const { queueTimeoutMs } = job.policy
  if (!last && queueTimeoutMs !== null && now > job.dueAt + queueTimeoutMs) {
    return stop(dependencies, job, dead({ code: 'waited-too-long', queueTimeoutMs }))
  }
  if ((job.nextAttemptAt ?? 0) > now) return { next: 'again', at: job.nextAttemptAt ?? now }
  // On shutdown or a lost delivery the job is requeued at once; another worker takes it.
  if (signal.aborted || dependencies.live.closing.aborted) return { next: 'again', at: now }
  return attempt(dependencies, delivered)
}

async function endBrokenOff(dependencies: Dependencies, run: Run): Promise<Handled | null> {
  await dependencies.live.writeEnds()
  await recover(dependencies, run.threadId)
  await abandonLostAttempt(dependencies, run)
  const current = await mustExist(dependencies.store.run(run.id), `run ${run.id}`)
  if (!OPEN_STATUSES.includes(current.status)) return null
  return { next: 'again', at: dependencies.clock.now() + BUSY_PAUSE_MS }
}

async function settle(dependencies: Dependencies, { job, runs }: Delivered): Promise<null> {
  await checkpointAfter(dependencies, job)
  const attempts = await attemptsOf(dependencies, job, runs)
  const now = dependencies.clock.now()
  const facts = { attempts, dueAt: job.dueAt, now, random: chanceOf(dependencies) }
  const decided = nextStep(facts, job.policy)
  const step: JobStep = job.cancelRequested && decided.do !== 'finish' ? { do: 'cancel' } : decided
  await dependencies.store.settleJob(job.id, { runId: runs.at(-1)?.id ?? null, step, now })
  return null
}

/** Settles the job by a step that no run led to. */
async function stop(dependencies: Dependencies, job: Job, step: JobStep): Promise<null> {
  await dependencies.store.settleJob(job.id, { runId: null, step, now: dependencies.clock.now() })
  return null
}

async function attempt(
  dependencies: Dependencies,
  { job, runs, signal }: Delivered,
): Promise<Handled | null> {
  const number = runs.length + 1
  const missing = await noWorkTree(dependencies, job, signal)
  if (missing) return notStarted(dependencies, job, missing)
  const before = await checkpointBefore(dependencies, job, number)
  if (before.state === 'conflict') {
    return stop(dependencies, job, failed({ code: 'conflicts', detail: before.detail }))
  }
  const sinceAsked = runs.slice(job.attemptsFrom)
  const spentUsd = sinceAsked.reduce((sum, run) => sum + (run.costUsd ?? 0), 0)
  const settings = settingsOf(job, { runs: sinceAsked, spentUsd })
  const prompt = await promptFor(dependencies, job, { runs, drift: before.drift, number })
  if (!(await dependencies.store.startAttempt(job.id, dependencies.clock.now()))) return null
  try {
    const one = { job, prompt, number, signal, spentUsd, settings }
    await runAttempt(dependencies, one)
  } catch (error) {
    return notRun(dependencies, { job, error })
  }
  return null
}

/** Makes the work tree of a repository before the checkpoint; gives why there is none. */
async function noWorkTree(
  dependencies: Dependencies,
  { threadId: id, workspace }: Job,
  signal: AbortSignal,
): Promise<RepriseError | null> {
  if (workspace === null) return null
  try {
    await enterWorkspace(dependencies, { id, workspace }, signal)
    return null
  } catch (error) {
    if (error instanceof RepriseError && error.code !== 'cancelled') return error
    throw error
  }
}

async function promptFor(
  dependencies: Dependencies,
  job: Job,
  { runs, drift, number }: { runs: readonly Run[]; drift: string | null; number: number },
): Promise<string> {
  const branch = await dependencies.store.branch(job.threadId)
  // The agent never got the prompt, so there is nothing to continue.
  if (branch.length === 0) return job.prompt
  const { happened, last } = beforeAttempt(runs, branch)
  const openCalls = happened === 'restored' ? [] : await openCallsOf(dependencies, last)
  const mark = dependencies.random.promptMark()
  return retryPrompt({ happened, attempt: number, openCalls, drift, mark })
}

type OneAttempt = {
  readonly job: Job
  readonly prompt: string
  readonly number: number
  readonly signal: AbortSignal
  readonly spentUsd: number
  readonly settings: TurnSettings
}

async function runAttempt(
  dependencies: Dependencies,
  { job, prompt, number, signal, spentUsd, settings }: OneAttempt,
): Promise<void> {
  const thread = await mustExist(dependencies.store.thread(job.threadId), `thread ${job.threadId}`)
  const options = optionsOf(job, spentUsd)
  const control = { submitted: () => {}, signal: cancelledBy(signal) }
  const ofJob = { job: { id: job.id, attempt: number }, settings }
  await sendTurn(dependencies, { thread, prompt, options, control, ...ofJob })
}

/**
 * Only a cancel ends the run as cancelled. On shutdown `live` stops the runs itself. A process that has lost the work to another one
 * goes on while the lease of the run is its own: the other one waits for the end of the run.
 */
export function cancelledBy(signal: AbortSignal): AbortSignal {
  const cancelled = new AbortController()
  const passOn = () => {
    if (signal.reason === 'cancelled') cancelled.abort()
  }
  if (signal.aborted) passOn()
  signal.addEventListener('abort', passOn)
  return cancelled.signal
}

const START_ERRORS: ReadonlySet<string> = new Set([
  'agent-missing',
  'agent-unusable',
  'bad-input',
  'not-found',
])

/** There is no run, or its end is already recorded. `null`: the caller reads the job again. */
async function notRun(
  dependencies: Dependencies,
  { job, error }: { readonly job: Job; readonly error: unknown },
): Promise<null> {
  if (dependencies.live.closing.aborted) return leaveInOrder(dependencies, job)
  if (!(error instanceof RepriseError)) throw error
  if (START_ERRORS.has(error.code)) return notStarted(dependencies, job, error)
  if (error.code === 'cancelled') return null
  throw error
}

/** Records in the job what is missing and when it is tried again. */
async function notStarted(
  dependencies: Dependencies,
  job: Job,
  { message, hint }: RepriseError,
): Promise<null> {
  const before = job.step?.do === 'retry' ? job.step.reason : null
  const inARow = before?.code === 'not-started' ? before.inARow + 1 : 1
  const now = dependencies.clock.now()
  const { nextHow: how, dueAt, policy } = job
  const facts = { message, hint, inARow, how, dueAt, now, random: chanceOf(dependencies) }
  return stop(dependencies, job, stepAfterFailedStart(facts, policy))
}

/** Records that this process stops before the attempt begins, so that nobody takes it for a crash. */
async function leaveInOrder(dependencies: Dependencies, job: Job): Promise<null> {
  const now = dependencies.clock.now()
  const last = (await runsOf(dependencies, job.id)).at(-1)
  if (last?.status === 'queued') {
    await dependencies.store.abandonQueued(last.id, dependencies.owner, stoppedBefore(last), now)
    return null
  }
  if (last && last.id !== job.settledRunId) return null
  const reason = { code: 'outside', class: 'shutdown', inARow: 1 } as const
  const step: JobStep = { do: 'retry', while: 'waiting', at: now, how: job.nextHow, reason }
  return stop(dependencies, job, step)
}

const failed = (reason: StopReason): JobStep => ({ do: 'stop', as: 'failed', reason })
const dead = (reason: StopReason): JobStep => ({ do: 'stop', as: 'dead', reason })

function chanceOf({ random }: Dependencies): number {
  return Number.parseInt(random.uuid().slice(0, 8), 16) / 2 ** 32
}
