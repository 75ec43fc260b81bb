// Takes checkpoints before and after each attempt of a job, compares them and restores them.
import type { CheckpointDiff } from '../../api.ts'
import type { Checkpoint, Repository } from '../../checkpoints/checkpoint.ts'
import { changesBetween, listCheckpoints, takeCheckpoint } from '../../checkpoints/checkpoints.ts'
import { filesWithConflictMarkers } from '../../checkpoints/conflict-markers.ts'
import { diffBetween } from '../../checkpoints/diff.ts'
import { conflictIn, driftBetween, driftBrief } from '../../checkpoints/drift.ts'
import { findRepository, isRepository, troubleOf } from '../../checkpoints/repository.ts'
import { changesOfRestore, type Restored, restoreCheckpoint } from '../../checkpoints/restore.ts'
import type { Job } from '../../core/job/job.ts'
import { redact } from '../../core/secrets/redact.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { enterWorkspace, isCurrent } from '../workspaces/enter-workspace.ts'
import { keepRestored } from '../workspaces/keep-files.ts'

export type Before =
  | { readonly state: 'clear'; readonly drift: string | null }
  | { readonly state: 'conflict'; readonly detail: string }

/** `null`: there is no usable repository. The job runs anyway, without checkpoints. */
export async function repositoryOf(
  { git, workspaces }: Dependencies,
  job: Job,
): Promise<Repository | null> {
  if (job.checkpointing === 'off') return null
  try {
    // Of a repository that each host checks out, only the work tree of this host can be read here.
    const workDir = job.workspace ? workspaces.pathOf(job.threadId) : job.workDir
    const found = await findRepository(git, workDir)
    return isRepository(found) ? found : null
  } catch {
    // Without git there are no checkpoints.
    return null
  }
}

export async function checkpointsOf(
  dependencies: Dependencies,
  job: Job,
): Promise<readonly Checkpoint[]> {
  // A job has no checkpoints before its first attempt, so git is not asked.
  const repository = job.startedAt === null ? null : await repositoryOf(dependencies, job)
  return repository ? listCheckpoints(dependencies.git, repository, job.id) : []
}

/** Takes the checkpoint before an attempt. */
export async function checkpointBefore(
  dependencies: Dependencies,
  job: Job,
  attempt: number,
): Promise<Before> {
  const repository = await repositoryOf(dependencies, job)
  if (!repository) return { state: 'clear', drift: null }
  try {
    const last = await takeMissing(dependencies, job, repository)
    const now = await take(dependencies, job, { repository, of: attempt, kind: 'before' })
    return last?.kind === 'after' ? await compare(dependencies, repository, [last, now]) : CLEAR
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    // The work dir is too large or the repository is broken: the list of checkpoints stays empty, and the work goes on.
    return CLEAR
  }
}

const CLEAR: Before = { state: 'clear', drift: null }

/** The process that sees the attempt's end calls this; the one that ran the attempt may have died. */
export async function checkpointAfter(dependencies: Dependencies, job: Job): Promise<void> {
  // Another host may have run the attempt; the work tree of this one is older then.
  if (job.workspace && !(await isCurrent(dependencies, job))) return
  const repository = await repositoryOf(dependencies, job)
  if (!repository) return
  await takeMissing(dependencies, job, repository).catch(() => {
    // As above: without this checkpoint, only the one before the next attempt shows the state.
  })
}

/** Takes the missing `after` checkpoint of the last attempt. Gives the checkpoint that was last before that. */
async function takeMissing(
  dependencies: Dependencies,
  job: Job,
  repository: Repository,
): Promise<Checkpoint | undefined> {
  const last = (await listCheckpoints(dependencies.git, repository, job.id)).at(-1)
  if (last?.kind === 'before')
    await take(dependencies, job, { repository, of: last.attempt, kind: 'after' })
  return last
}

async function take(
  { git, store, clock, offer: { host } }: Dependencies,
  { id: jobId }: Job,
  taken: { repository: Repository; of: number | null; kind: 'before' | 'after' },
): Promise<Checkpoint> {
  const { repository, kind, of: attempt } = taken
  // Stores the place before the first ref is made, so that Reprise can find every ref again.
  await store.keepCheckpointPlace({ jobId, gitDir: repository.commonDir, host })
  return takeCheckpoint(git, repository, { jobId, kind, attempt, at: clock.now() })
}

async function compare(
  { git }: Dependencies,
  repository: Repository,
  [last, now]: readonly [Checkpoint, Checkpoint],
): Promise<Before> {
  const changes = await changesBetween(git, repository, [last.tree, now.tree])
  const trouble = await troubleOf(git, repository)
  const marked = await filesWithConflictMarkers(repository, changes)
  const drift = driftBetween(last, { head: now.head, changes, trouble, marked })
  const detail = conflictIn(drift)
  return detail ? { state: 'conflict', detail } : { state: 'clear', drift: driftBrief(drift) }
}

/** `stillIdle` throws when the job has begun to run since the caller looked. */
export async function restoreFiles(
  dependencies: Dependencies,
  job: Job,
  { number, stillIdle }: { readonly number: number; stillIdle(): Promise<unknown> },
): Promise<Restored & { readonly checkpoint: Checkpoint }> {
  const { repository, checkpoint } = await existingCheckpoint(dependencies, job, number)
  const restore = async () => {
    await stillIdle()
    if (job.workspace && !(await isCurrent(dependencies, job))) throw outOfDate(job)
    const { git, store, clock, offer } = dependencies
    const place = { jobId: job.id, gitDir: repository.commonDir, host: offer.host }
    await store.keepCheckpointPlace(place)
    const restored = await restoreCheckpoint(git, repository, { checkpoint, at: clock.now() })
    if (job.workspace) await keepRestored(dependencies, { job, repository })
    return { checkpoint, ...restored }
  }
  return job.workspace ? dependencies.workspaces.alone(job.threadId, restore) : restore()
}

/** What another host kept of the last attempt is damaged, or was kept a moment ago. */
function outOfDate({ id }: Job): RepriseError {
  const what = `the work tree of job ${id} on this host is not the one of its last attempt`
  const hint =
    'Give the command again. If that does not help, give it on the host of the last attempt.'
  return new RepriseError('conflict', what, hint)
}

/** What `restoreFiles` would change now. */
export async function previewFiles(
  dependencies: Dependencies,
  job: Job,
  number: number,
): Promise<Pick<Restored, 'changes'> & { readonly checkpoint: Checkpoint }> {
  const { repository, checkpoint } = await existingCheckpoint(dependencies, job, number)
  return { checkpoint, changes: await changesOfRestore(dependencies.git, repository, checkpoint) }
}

/** What changed between a checkpoint and the one before it, or the commit that HEAD was at. */
export async function diffOf(
  dependencies: Dependencies,
  job: Job,
  number: number,
): Promise<CheckpointDiff> {
  const found = await existingCheckpoint(dependencies, job, number)
  const { repository, checkpoint, before } = found
  const from = before?.tree ?? checkpoint.head.commit
  const diff = await diffBetween(dependencies.git, repository, { from, to: checkpoint.tree })
  const files = diff.files.map(file => ({ ...file, patch: file.patch && redact(file.patch) }))
  return { ...diff, files, from: before?.number ?? null, to: number }
}

async function existingCheckpoint(dependencies: Dependencies, job: Job, number: number) {
  const { id, workspace } = { id: job.threadId, workspace: job.workspace }
  if (workspace) await enterWorkspace(dependencies, { id, workspace })
  const repository = await repositoryOf(dependencies, job)
  const list = repository ? await listCheckpoints(dependencies.git, repository, job.id) : []
  const index = list.findIndex(item => item.number === number)
  const checkpoint = list[index]
  if (repository && checkpoint) return { repository, checkpoint, before: list[index - 1] }
  const what = `job ${job.id} has no checkpoint ${number}`
  throw new RepriseError('not-found', what, `See them: reprise jobs checkpoints ${job.id}.`)
}
