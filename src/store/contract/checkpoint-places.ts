// What a store keeps of the repositories that hold checkpoints of jobs.
import type { JobOfCheckpoints } from '../../core/job/checkpoint-keeping.ts'

export type CheckpointPlace = {
  readonly jobId: string
  /** Real path of the git directory that has the refs. */
  readonly gitDir: string
}

/** With what is left of its job. */
export type KnownPlace = CheckpointPlace & {
  readonly job: JobOfCheckpoints
}

export type CheckpointPlaceVerbs = {
  /** Before the first ref is made there. Once more does nothing. */
  keepCheckpointPlace(place: CheckpointPlace): Promise<void>
  /** Of one job, or all. */
  checkpointPlaces(query?: { readonly jobId?: string }): Promise<readonly KnownPlace[]>
  /** Of jobs that were started and have no place: never made a checkpoint, lost all of them, or made them before places were kept. */
  workDirsWithoutPlace(): Promise<readonly string[]>
  /** Once no ref is left there. */
  forgetCheckpointPlace(place: CheckpointPlace): Promise<void>
}
