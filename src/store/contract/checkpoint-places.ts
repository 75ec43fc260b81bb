// What a store knows about the repositories that hold checkpoints of jobs.
import type { JobOfCheckpoints } from '../../core/job/checkpoint-keeping.ts'

export type CheckpointPlace = {
  readonly jobId: string
  /** Real path of the git directory that has the refs. */
  readonly gitDir: string
  /** The host that has this path; `null` in rows of earlier versions. */
  readonly host: string | null
}

/** A place with what the store still knows about its job. */
export type KnownPlace = CheckpointPlace & {
  readonly job: JobOfCheckpoints
}

export type CheckpointPlaceVerbs = {
  /** Called before the first ref is made there. A second call changes nothing. */
  keepCheckpointPlace(place: CheckpointPlace): Promise<void>
  /** Gives the places of one job, or all. */
  checkpointPlaces(query?: { readonly jobId?: string }): Promise<readonly KnownPlace[]>
  /** For started jobs without a place: they have no checkpoints, or made them before the store knew places. */
  workDirsWithoutPlace(): Promise<readonly string[]>
  /** Called when no ref is left there. */
  forgetCheckpointPlace(place: Omit<CheckpointPlace, 'host'>): Promise<void>
}
