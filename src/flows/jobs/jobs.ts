// Jobs as users call them: submit, look, retry, cancel, put back.
import type { JobDetails, JobRequest, RestoredJob } from '../../api.ts'
import type { Job } from '../../core/job/job.ts'
import { OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import type { Engine, Work } from '../../engine/engine.ts'
import { RepriseError } from '../../errors.ts'
import { findAgent } from '../agents/agents.ts'
import type { AgentConfig, Dependencies } from '../dependencies.ts'
import { checkedPrompt, checkedWorkDir } from '../threads/check-input.ts'
import { refuseBadOptions } from '../turn/send-turn.ts'
import { checkedPolicy, checkedPriority } from './check-job.ts'
import { restoreFiles } from './job-checkpoints.ts'
import { existingJob, jobDetails, runsOf } from './job-runs.ts'
import { checkedRecurrence, firstTime, nextTime } from './recurrence.ts'

export const JOB_QUEUE = 'jobs'
/** The job's own caps decide; this is for what fails before an attempt is even recorded. */
const RETRY_LIMIT = 100
const POLL_MS = 200

export async function submitJob(
  dependencies: Dependencies,
  engine: Engine,
  request: JobRequest & { readonly agent: string },
): Promise<JobDetails> {
  const prompt = checkedPrompt(request.prompt)
  const agent = await findAgent(dependencies, request.agent)
  const workDir = await checkedWorkDir(dependencies, request.workDir)
  const permissionMode = request.permissionMode ?? jobMode(agent)
  const { model, instructions, allowedTools = [], disallowedTools = [] } = request
  const options = {
    permissionMode,
    allowedTools,
    disallowedTools,
    ...(model && { model }),
    ...(instructions && { instructions }),
  }
  refuseBadOptions({ agent, options, workDir, thread: { trust: request.trust ?? null } })
  const policy = checkedPolicy(request)
  const priority = checkedPriority(request.priority)
  const schedule = request.schedule === undefined ? null : await checkedRecurrence(request.schedule)
  const now = dependencies.clock.now()
  const dueAt = schedule === null ? now : await firstTime(schedule, now)
  const job = {
    id: dependencies.random.id('job'),
    threadId: dependencies.random.id('thr'),
    prompt,
    agent: agent.name,
    model: model ?? null,
    workDir,
    permissionMode,
    allowedTools,
    disallowedTools,
    trust: request.trust ?? null,
    sandbox: request.sandbox ?? null,
    instructions: request.instructions || null,
    policy,
    checkpointing: request.checkpoints ?? 'auto',
    concurrencyKey: request.concurrencyKey ?? null,
    priority,
    schedule,
    dueAt,
    rootId: null,
    nextAttemptAt: dueAt,
    createdAt: now,
  } as const
  const stored = await dependencies.store.submitJob(
    job,
    engine.enlist(workOf(job, dueAt)),
    request.key,
  )
  engine.wake(JOB_QUEUE)
  return jobDetails(dependencies, stored)
}

function workOf(job: Pick<Job, 'id' | 'concurrencyKey' | 'priority'>, notBefore: number): Work {
  const { id, concurrencyKey: key, priority } = job
  return { queue: JOB_QUEUE, id, key, perKey: 1, priority, notBefore, retryLimit: RETRY_LIMIT }
}

/** Nobody is there to be asked. */
function jobMode({ adapter, permissionMode }: AgentConfig): string {
  return adapter.permissionModes.includes('acceptEdits') ? 'acceptEdits' : permissionMode
}

/** The next of a row, stored once however often this is asked; a cancelled job is the last of its row. */
export async function ensureNext(
  dependencies: Dependencies,
  engine: Engine,
  job: Job,
): Promise<void> {
  if (job.schedule === null || job.status === 'cancelled') return
  const now = dependencies.clock.now()
  const at = await nextTime(job.schedule, { lastAt: job.dueAt, now })
  const { id: _, ...same } = job
  const next = {
    ...same,
    id: dependencies.random.id('job'),
    threadId: dependencies.random.id('thr'),
    rootId: job.rootId ?? job.id,
    dueAt: at,
    nextAttemptAt: at,
    createdAt: now,
  }
  const key = { key: `after:${job.id}`, request: job.id, note: '' }
  await dependencies.store.submitJob(next, engine.enlist(workOf(next, at)), key)
  engine.wake(JOB_QUEUE)
}

/** Jobs that were stored, but whose wake-up call may be lost. */
export async function wakeJobs(dependencies: Dependencies, engine: Engine): Promise<void> {
  for (const job of await dependencies.store.forgottenJobs(JOB_QUEUE)) {
    await engine.dispatch(workOf(job, job.nextAttemptAt ?? dependencies.clock.now()))
  }
}

/** By hand: from where it is, whatever it has used up before. */
export async function retryJob(
  dependencies: Dependencies,
  engine: Engine,
  { id, resume }: { readonly id: string; readonly resume: boolean },
): Promise<JobDetails> {
  const job = await existingJob(dependencies, id)
  const runs = await runsOf(dependencies, id)
  const now = dependencies.clock.now()
  const how = resume ? 'resume' : 'fresh'
  const settledRunId = runs.at(-1)?.id ?? null
  const again = { how, attemptsFrom: runs.length, settledRunId, now } as const
  const enlist = engine.enlist(workOf(job, now))
  if (!(await dependencies.store.requeueJob(id, again, enlist))) throw running(id)
  engine.wake(JOB_QUEUE)
  return jobDetails(dependencies, id)
}

/** Ends in bounded time; gives the job as it is then. */
export async function cancelJob(
  dependencies: Dependencies,
  engine: Engine,
  id: string,
): Promise<JobDetails> {
  await existingJob(dependencies, id)
  const status = await dependencies.store.requestJobCancel(id, dependencies.clock.now())
  await engine.cancel(JOB_QUEUE, id)
  if (status !== 'running') return jobDetails(dependencies, id)
  const last = (await runsOf(dependencies, id)).at(-1)
  if (last) await dependencies.store.requestCancel(last.id, dependencies.clock.now())
  return waitForJob(dependencies, id, AbortSignal.timeout(30_000))
}

/** Until it is over, or the signal aborts. */
export async function waitForJob(
  dependencies: Dependencies,
  id: string,
  signal?: AbortSignal,
): Promise<JobDetails> {
  for (;;) {
    const { status } = await existingJob(dependencies, id)
    if (!OPEN_JOB_STATUSES.includes(status) || signal?.aborted) return jobDetails(dependencies, id)
    await dependencies.clock.sleep(POLL_MS, signal)
  }
}

/** The files, and the thread: what the session has seen since is cut off by the next attempt, which forks it there. */
export async function restoreJob(
  dependencies: Dependencies,
  { id, checkpoint: number }: { readonly id: string; readonly checkpoint: number },
): Promise<RestoredJob> {
  const job = await existingJob(dependencies, id)
  if (job.status === 'running') throw running(id)
  const { checkpoint, safety, changes } = await restoreFiles(dependencies, job, number)
  await cutThread(dependencies, job, checkpoint)
  return { job: await jobDetails(dependencies, id), checkpoint, safety, changes }
}

async function cutThread(
  dependencies: Dependencies,
  job: Job,
  { runId, kind }: { readonly runId: string | null; readonly kind: string },
): Promise<void> {
  // Named by the attempt's number: its run was not stored yet when it was taken.
  const number = Number(runId?.split('/')[1] ?? Number.NaN)
  if (!Number.isInteger(number)) return
  const runs = await runsOf(dependencies, job.id)
  const later = new Set(
    runs
      .filter(run => (kind === 'after' ? run.attempt > number : run.attempt >= number))
      .map(run => run.id),
  )
  const branch = await dependencies.store.branch(job.threadId)
  const end = branch.findIndex(message => message.runId !== null && later.has(message.runId))
  if (end < 0) return
  await dependencies.store.replaceBranch({
    threadId: job.threadId,
    branchId: dependencies.random.id('brn'),
    expected: branch.map(message => message.id),
    messages: branch.slice(0, end),
    now: dependencies.clock.now(),
  })
}

function running(id: string): RepriseError {
  const hint = `Wait for it, or cancel it first: reprise jobs cancel ${id}.`
  return new RepriseError('busy', `job ${id} is running`, hint)
}
