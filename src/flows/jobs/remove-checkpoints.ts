// Removes checkpoints from the user's repository: together with their job, when they are old, or when their job is gone.
import type { KeptCheckpoints } from '../../api.ts'
import { checkpointCounts, forgetCheckpoints } from '../../checkpoints/checkpoints.ts'
import { findRepository, isGitDir, isRepository } from '../../checkpoints/repository.ts'
import {
  type JobOfCheckpoints,
  keepingOf,
  type RemovedCheckpoints,
} from '../../core/job/checkpoint-keeping.ts'
import type { Job } from '../../core/job/job.ts'
import { RepriseError } from '../../errors.ts'
import type { CheckpointPlace } from '../../store/contract/checkpoint-places.ts'
import type { Dependencies } from '../dependencies.ts'
import { repositoryOf } from './job-checkpoints.ts'
import { sharedRootOf } from './waiting-jobs.ts'

/** Removes the checkpoints of a job that was removed or is about to be. */
export async function removeCheckpointsOf(
  dependencies: Dependencies,
  job: Job,
): Promise<readonly RemovedCheckpoints[]> {
  return removeAt(dependencies, await placesOf(dependencies, job))
}

/** Removes checkpoints that are older than the settings allow, and those whose job is gone. */
export async function pruneCheckpoints(
  dependencies: Dependencies,
): Promise<readonly RemovedCheckpoints[]> {
  const now = dependencies.clock.now()
  const places = await dependencies.store.checkpointPlaces()
  const isOver = ({ job }: { job: JobOfCheckpoints }) =>
    keepingOf(job, { ...dependencies.checkpoints, now }) !== 'keep'
  const here: CheckpointPlace[] = []
  for (const place of places.filter(isOver)) {
    if (await isHere(dependencies, place)) here.push(place)
  }
  return removeAt(dependencies, here)
}

/** The path of another host may be missing here, or be something else: that host removes its checkpoints itself. */
async function isHere(
  dependencies: Dependencies,
  { host, gitDir }: CheckpointPlace,
): Promise<boolean> {
  const { store, offer } = dependencies
  if (store.reach === 'one-host' || host === null || host === offer.host) return true
  return (await sharedRootOf(dependencies, gitDir)) !== null
}

/** Needed because a user may remove a job while a process takes its checkpoint. */
export async function removeOrphans(dependencies: Dependencies, jobId: string): Promise<void> {
  await removeAt(dependencies, await dependencies.store.checkpointPlaces({ jobId }))
}

/** A checkpoint that is older than the stored places can only be in the job's work dir. */
async function placesOf(dependencies: Dependencies, job: Job): Promise<readonly CheckpointPlace[]> {
  const places = await dependencies.store.checkpointPlaces({ jobId: job.id })
  if (places.length > 0 || job.startedAt === null) return places
  const repository = await repositoryOf(dependencies, job)
  const { host } = dependencies.offer
  return repository ? [{ jobId: job.id, gitDir: repository.commonDir, host }] : []
}

async function removeAt(
  dependencies: Dependencies,
  places: readonly CheckpointPlace[],
): Promise<readonly RemovedCheckpoints[]> {
  const removed: RemovedCheckpoints[] = []
  for (const place of places) {
    const done = await removeFrom(dependencies, place)
    // A place that still has refs stays in the store, for the next try.
    if (done.state !== 'kept') await dependencies.store.forgetCheckpointPlace(place)
    if (done.state !== 'removed' || done.count > 0) removed.push(done)
  }
  return removed
}

async function removeFrom(
  dependencies: Dependencies,
  place: CheckpointPlace,
): Promise<RemovedCheckpoints> {
  const { git } = dependencies
  const { jobId, gitDir, host } = place
  const done = { jobId, repository: gitDir, count: 0, problem: null }
  if (!(await isHere(dependencies, place))) {
    return { ...done, state: 'kept', problem: `host ${host} has them and removes them itself` }
  }
  try {
    if (!(await isGitDir(git, gitDir))) return { ...done, state: 'gone' }
    return { ...done, state: 'removed', count: await forgetCheckpoints(git, gitDir, jobId) }
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    return { ...done, state: 'kept', problem: error.message }
  }
}

/**
 * Checkpoints that are older than the stored places can only be in the repositories around their jobs' work dirs.
 * This asks git in each such work dir, so a sweep does not call it every time.
 */
export async function findUnknownPlaces(dependencies: Dependencies): Promise<void> {
  const looked = new Set<string>()
  for (const workDir of await dependencies.store.workDirsWithoutPlace()) {
    const found = await findRepository(dependencies.git, workDir).catch(() => null) // The work dir is gone.
    if (found === null || !isRepository(found) || looked.has(found.commonDir)) continue
    looked.add(found.commonDir)
    await learnPlaces(dependencies, found.commonDir)
  }
}

/** Counts the checkpoints in every repository that the store knows, and in the one around a directory. */
export async function keptCheckpoints(
  dependencies: Dependencies,
  directory: string,
): Promise<readonly KeptCheckpoints[]> {
  const here = await findRepository(dependencies.git, directory)
  const gitDirs = new Set<string>()
  for (const place of await dependencies.store.checkpointPlaces()) {
    if (await isHere(dependencies, place)) gitDirs.add(place.gitDir)
  }
  if (isRepository(here)) gitDirs.add(here.commonDir)
  const kept: KeptCheckpoints[] = []
  for (const gitDir of gitDirs) {
    const counts = await learnPlaces(dependencies, gitDir)
    const places = await dependencies.store.checkpointPlaces()
    for (const [jobId, count] of counts) {
      const place = places.find(at => at.gitDir === gitDir && at.jobId === jobId)
      const now = dependencies.clock.now()
      // A job that this store does not know may belong to another data directory.
      const keeping = place ? keepingOf(place.job, { ...dependencies.checkpoints, now }) : 'unknown'
      kept.push({ jobId, repository: gitDir, count, keeping })
    }
  }
  return kept
}

/** Stores the place of every job that the store knows. Gives how many checkpoints each job has there. */
async function learnPlaces(
  { git, store, offer: { host } }: Dependencies,
  gitDir: string,
): Promise<ReadonlyMap<string, number>> {
  // A repository that is gone or that git refuses to read counts as empty.
  const counts = await checkpointCounts(git, gitDir).catch(() => new Map<string, number>())
  const places = await store.checkpointPlaces()
  for (const jobId of counts.keys()) {
    const isPlaced = places.some(place => place.gitDir === gitDir && place.jobId === jobId)
    if (isPlaced || !(await store.job(jobId))) continue
    await store.keepCheckpointPlace({ jobId, gitDir, host })
  }
  return counts
}
