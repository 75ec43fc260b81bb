// Stores new jobs, and the next job of a recurring one, together with the work by which the engine hands them out.
import type { JobDetails, JobRequest } from '../../api.ts'
import { type Job, OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import type { Work } from '../../engine/engine.ts'
import { findAgent } from '../agents/agents.ts'
import type { AgentConfig, Dependencies } from '../dependencies.ts'
import { checkedPrompt, checkedWorkDir } from '../threads/check-input.ts'
import { refuseBadOptions } from '../turn/send-turn.ts'
import { checkedPolicy, checkedPriority } from './check-job.ts'
import { jobDetails } from './job-runs.ts'
import { checkedRecurrence, firstTime, nextTime } from './recurrence.ts'

export const JOB_QUEUE = 'jobs'
/** The job's own limits decide; this one is for failures before an attempt is recorded. */
const RETRY_LIMIT = 100

export async function submitJob(
  dependencies: Dependencies,
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
    dependencies.engine.enlist(workOf(job, dueAt)),
    request.key,
  )
  dependencies.engine.wake(JOB_QUEUE)
  return jobDetails(dependencies, stored)
}

export function workOf(
  job: Pick<Job, 'id' | 'concurrencyKey' | 'priority'>,
  notBefore: number,
): Work {
  const { id, concurrencyKey: key, priority } = job
  return { queue: JOB_QUEUE, id, key, perKey: 1, priority, notBefore, retryLimit: RETRY_LIMIT }
}

/** A job needs a mode that asks nobody. */
function jobMode({ adapter, permissionMode }: AgentConfig): string {
  return adapter.permissionModes.includes('acceptEdits') ? 'acceptEdits' : permissionMode
}

/** Stores the next job of a recurring one, once however often this is called. After a cancelled job there is no next one. */
export async function ensureNext(dependencies: Dependencies, job: Job): Promise<void> {
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
  const enlist = dependencies.engine.enlist(workOf(next, at))
  await dependencies.store.submitJob(next, enlist, key)
  dependencies.engine.wake(JOB_QUEUE)
}

/** Dispatches open jobs that have no work in the engine: their dispatch may have been lost. */
export async function wakeJobs({ store, engine, clock }: Dependencies): Promise<void> {
  const open = await store.openJobIds()
  const dispatched = await engine.having(JOB_QUEUE, open)
  for (const id of open) {
    if (dispatched.has(id)) continue
    // The job may have ended or been removed since its id was read.
    const job = await store.job(id)
    if (!job || !OPEN_JOB_STATUSES.includes(job.status)) continue
    await engine.dispatch(workOf(job, job.nextAttemptAt ?? clock.now()))
  }
}
