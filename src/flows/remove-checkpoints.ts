// J-6: checkpoints leave the user's repository with their job, when they are old, or when their job is gone.
import type { KeptCheckpoints } from '../api.ts'
import { checkpointCounts, forgetCheckpoints } from '../checkpoints/checkpoints.ts'
import { findRepository, isGitDir, isRepository } from '../checkpoints/repository.ts'
import {
  type JobOfCheckpoints,
  keepingOf,
  type RemovedCheckpoints,
} from '../core/checkpoint-keeping.ts'
import type { Job } from '../core/job.ts'
import { RepriseError } from '../errors.ts'
import type { CheckpointPlace } from '../store/store.ts'
import { repositoryOf } from './job-checkpoints.ts'
import type { Parts } from './parts.ts'

/** Of a job that was removed, or is about to be. */
export async function removeCheckpointsOf(
  parts: Parts,
  job: Job,
): Promise<readonly RemovedCheckpoints[]> {
  return removeAt(parts, await placesOf(parts, job))
}

/** Those that are older than the settings say, and those whose job is gone. */
export async function pruneCheckpoints(parts: Parts): Promise<readonly RemovedCheckpoints[]> {
  const now = parts.clock.now()
  const places = await parts.store.checkpointPlaces()
  const isOver = ({ job }: { job: JobOfCheckpoints }) =>
    keepingOf(job, { ...parts.checkpoints, now }) !== 'keep'
  return removeAt(parts, places.filter(isOver))
}

/** A job may have been removed while a process was taking its checkpoint. */
export async function removeOrphans(parts: Parts, jobId: string): Promise<void> {
  await removeAt(parts, await parts.store.checkpointPlaces({ jobId }))
}

/** A checkpoint from before places were stored can only be in the job's work dir. */
async function placesOf(parts: Parts, job: Job): Promise<readonly CheckpointPlace[]> {
  const places = await parts.store.checkpointPlaces({ jobId: job.id })
  if (places.length > 0 || job.startedAt === null) return places
  const repository = await repositoryOf(parts, job)
  return repository ? [{ jobId: job.id, gitDir: repository.commonDir }] : []
}

async function removeAt(
  parts: Parts,
  places: readonly CheckpointPlace[],
): Promise<readonly RemovedCheckpoints[]> {
  const removed: RemovedCheckpoints[] = []
  for (const place of places) {
    const done = await removeFrom(parts, place)
    // What is kept stays known, for the next try.
    if (done.state !== 'kept') await parts.store.forgetCheckpointPlace(place)
    if (done.state !== 'removed' || done.count > 0) removed.push(done)
  }
  return removed
}

async function removeFrom(
  { git }: Parts,
  { jobId, gitDir }: CheckpointPlace,
): Promise<RemovedCheckpoints> {
  const done = { jobId, repository: gitDir, count: 0, problem: null }
  try {
    if (!(await isGitDir(git, gitDir))) return { ...done, state: 'gone' }
    return { ...done, state: 'removed', count: await forgetCheckpoints(git, gitDir, jobId) }
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    return { ...done, state: 'kept', problem: error.message }
  }
}

/**
 * Checkpoints from before places were stored can only be around the work dirs of their jobs.
 * Asks git in each such work dir, so it is not for every sweep.
 */
export async function findUnknownPlaces(parts: Parts): Promise<void> {
  const looked = new Set<string>()
  for (const workDir of await parts.store.workDirsWithoutPlace()) {
    const found = await findRepository(parts.git, workDir).catch(() => null) // The work dir is gone.
    if (found === null || !isRepository(found) || looked.has(found.commonDir)) continue
    looked.add(found.commonDir)
    await learnPlaces(parts, found.commonDir)
  }
}

/** In every repository that we know of, and in the one around a directory. */
export async function keptCheckpoints(
  parts: Parts,
  directory: string,
): Promise<readonly KeptCheckpoints[]> {
  const here = await findRepository(parts.git, directory)
  const gitDirs = new Set((await parts.store.checkpointPlaces()).map(({ gitDir }) => gitDir))
  if (isRepository(here)) gitDirs.add(here.commonDir)
  const kept: KeptCheckpoints[] = []
  for (const gitDir of gitDirs) {
    const counts = await learnPlaces(parts, gitDir)
    const places = await parts.store.checkpointPlaces()
    for (const [jobId, count] of counts) {
      const place = places.find(at => at.gitDir === gitDir && at.jobId === jobId)
      const now = parts.clock.now()
      // Another data directory may know it.
      const keeping = place ? keepingOf(place.job, { ...parts.checkpoints, now }) : 'unknown'
      kept.push({ jobId, repository: gitDir, count, keeping })
    }
  }
  return kept
}

/** Keeps the place of every job that the store knows. Gives how many checkpoints each job has there. */
async function learnPlaces(
  { git, store }: Parts,
  gitDir: string,
): Promise<ReadonlyMap<string, number>> {
  // One that is gone, or that git refuses to read, has nothing to be shown.
  const counts = await checkpointCounts(git, gitDir).catch(() => new Map<string, number>())
  const places = await store.checkpointPlaces()
  for (const jobId of counts.keys()) {
    const isPlaced = places.some(place => place.gitDir === gitDir && place.jobId === jobId)
    if (!isPlaced && (await store.job(jobId))) await store.keepCheckpointPlace({ jobId, gitDir })
  }
  return counts
}
