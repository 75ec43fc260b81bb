// Restores the files and the thread of a job to a checkpoint, and says beforehand what that would change.
import type { RestoredJob, RestorePreview } from '../../api.ts'
import type { Checkpoint } from '../../checkpoints/checkpoint.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { Job } from '../../core/job/job.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { previewFiles, restoreFiles } from './job-checkpoints.ts'
import { existingJob, jobDetails, runsOf } from './job-runs.ts'

type Wanted = { readonly id: string; readonly checkpoint: number }

/** The next attempt forks the session at that point, without what it has seen since. */
export async function restoreJob(
  dependencies: Dependencies,
  { id, checkpoint: number }: Wanted,
): Promise<RestoredJob> {
  const job = await idleJob(dependencies, id)
  const stillIdle = () => idleJob(dependencies, id)
  const restored = await restoreFiles(dependencies, job, { number, stillIdle })
  const { checkpoint, safety, changes } = restored
  const { branch, kept } = await cutAt(dependencies, job, checkpoint)
  if (kept.length < branch.length) {
    await dependencies.store.replaceBranch({
      threadId: job.threadId,
      branchId: dependencies.random.id('brn'),
      expected: branch.map(message => message.id),
      messages: kept,
      now: dependencies.clock.now(),
    })
  }
  return { job: await jobDetails(dependencies, id), checkpoint, safety, changes }
}

export async function previewRestore(
  dependencies: Dependencies,
  { id, checkpoint: number }: Wanted,
): Promise<RestorePreview> {
  const job = await idleJob(dependencies, id)
  const { checkpoint, changes } = await previewFiles(dependencies, job, number)
  const { branch, kept } = await cutAt(dependencies, job, checkpoint)
  return { checkpoint, changes, messages: branch.length - kept.length }
}

async function idleJob(dependencies: Dependencies, id: string): Promise<Job> {
  const job = await existingJob(dependencies, id)
  if (job.status === 'running') throw running(id)
  return job
}

type Cut = { readonly branch: readonly Message[]; readonly kept: readonly Message[] }

/** The messages of the thread, and those that were there at the checkpoint. */
async function cutAt(
  dependencies: Dependencies,
  job: Job,
  { attempt, kind }: Pick<Checkpoint, 'attempt' | 'kind'>,
): Promise<Cut> {
  const branch = await dependencies.store.branch(job.threadId)
  if (attempt === null) return { branch, kept: branch }
  const runs = await runsOf(dependencies, job.id)
  const later = new Set(
    runs
      .filter(run => (kind === 'after' ? run.attempt > attempt : run.attempt >= attempt))
      .map(run => run.id),
  )
  const end = branch.findIndex(message => message.runId !== null && later.has(message.runId))
  return { branch, kept: end < 0 ? branch : branch.slice(0, end) }
}

export function running(id: string): RepriseError {
  const hint = `Wait for it, or cancel it first: reprise jobs cancel ${id}.`
  return new RepriseError('busy', `job ${id} is running`, hint)
}
