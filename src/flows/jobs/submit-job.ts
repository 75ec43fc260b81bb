// Stores new jobs, and the next job of a recurring one, together with the work by which the engine hands them out.
import type { JobDetails, JobRequest } from '../../api.ts'
import type { Job } from '../../core/job/job.ts'
import { type PlacedJob, requirementsOfJob } from '../../core/job/job-requirements.ts'
import { laneOf } from '../../core/job/lane.ts'
import { namedTrace } from '../../core/trace/trace-context.ts'
import type { Work } from '../../engine/engine.ts'
import { findAgent } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkedPrompt } from '../threads/check-input.ts'
import { refuseBadOptions } from '../turn/send-turn.ts'
import { checkedPlace } from '../workspaces/checked-place.ts'
import { checkedLabels, checkedPolicy, checkedPriority } from './check-job.ts'
import { JOB_QUEUE } from './job-queue.ts'
import { jobDetails } from './job-runs.ts'
import { checkedRecurrence, firstTime, nextTime } from './recurrence.ts'
import { placeOn, sharedRootOf } from './waiting-jobs.ts'

/** The job's own limits decide; this one is for failures before an attempt is recorded. */
const RETRY_LIMIT = 100

export async function submitJob(
  dependencies: Dependencies,
  request: JobRequest & { readonly agent: string },
): Promise<JobDetails> {
  const prompt = checkedPrompt(request.prompt)
  const agent = await findAgent(dependencies, request.agent)
  const threadId = dependencies.random.id('thr')
  const place = await checkedPlace(dependencies, request, threadId)
  const { workDir } = place
  const permissionMode = request.permissionMode ?? agent.adapter.words.unattendedMode
  const { model, instructions, allowedTools = [], disallowedTools = [] } = request
  const options = {
    permissionMode,
    allowedTools,
    disallowedTools,
    ...(model && { model }),
    ...(instructions && { instructions }),
    ...(request.carry && { carry: request.carry }),
  }
  refuseBadOptions({ agent, options, workDir, thread: { trust: request.trust ?? null } })
  const policy = checkedPolicy(request)
  const priority = checkedPriority(request.priority)
  const schedule = request.schedule === undefined ? null : await checkedRecurrence(request.schedule)
  const now = dependencies.clock.now()
  const dueAt = schedule === null ? now : await firstTime(schedule, now)
  const span = dependencies.tracing.submit({
    ...{ kind: 'job', agent: agent.name, threadId },
    parent: namedTrace(request) ?? 'active',
  })
  const job = {
    id: dependencies.random.id('job'),
    threadId,
    prompt,
    agent: agent.name,
    model: model ?? null,
    ...place,
    sharedRoot: place.workspace ? null : await sharedRootOf(dependencies, workDir),
    labels: checkedLabels(request.labels),
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
    trace: span.trace,
  } as const
  const stored = await dependencies.store.submitJob(
    job,
    dependencies.engine.enlist({ ...workOf(dependencies, job, dueAt), isFresh: true }),
    request.key,
  )
  span.stored(stored)
  dependencies.engine.wake(JOB_QUEUE)
  return jobDetails(dependencies, stored)
}

type DispatchedJob = PlacedJob & Pick<Job, 'id' | 'concurrencyKey' | 'priority'>

export function workOf(
  { store }: Pick<Dependencies, 'store'>,
  job: DispatchedJob,
  notBefore: number,
): Work {
  const { id, concurrencyKey: key, priority } = job
  const lane = laneOf(requirementsOfJob(placeOn(store, job)))
  const rules = { key, perKey: 1, priority, lane, retryLimit: RETRY_LIMIT }
  return { queue: JOB_QUEUE, id, notBefore, ...rules }
}

/** Stores the next job of a recurring one, once however often this is called. After a cancelled job there is no next one. */
export async function ensureNext(dependencies: Dependencies, job: Job): Promise<void> {
  if (job.schedule === null || job.status === 'cancelled') return
  const now = dependencies.clock.now()
  const at = await nextTime(job.schedule, { lastAt: job.dueAt, now })
  const { id: _, ...same } = job
  const threadId = dependencies.random.id('thr')
  const span = dependencies.tracing.submit({
    ...{ kind: 'job', agent: job.agent, threadId },
    parent: null,
  })
  const next = {
    ...same,
    id: dependencies.random.id('job'),
    threadId,
    trace: span.trace,
    // A branch may have moved since.
    workspace: job.workspace && { ...job.workspace, commit: null },
    ...(job.workspace && { workDir: dependencies.workspaces.pathOf(threadId) }),
    rootId: job.rootId ?? job.id,
    dueAt: at,
    nextAttemptAt: at,
    createdAt: now,
  }
  const key = { key: `after:${job.id}`, request: job.id, note: '' }
  const work = { ...workOf(dependencies, next, at), isFresh: true }
  const enlist = dependencies.engine.enlist(work)
  const stored = await dependencies.store.submitJob(next, enlist, key)
  // It may be there since another worker ended the job.
  if (stored === next.id) span.stored(stored)
  dependencies.engine.wake(JOB_QUEUE)
}
