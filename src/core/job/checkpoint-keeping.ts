// How long checkpoints are kept, and the words about removed ones.

/** Where checkpoints are in a user's repository. */
export const REF_PREFIX = 'refs/reprise'

/** How long checkpoints are kept. */
export type CheckpointSettings = {
  /** Days after the end of a job; `null`: for ever. */
  readonly keepDays: number | null
}

export const DEFAULT_CHECKPOINTS: CheckpointSettings = { keepDays: 30 }

/** What the store knows of the job that checkpoints belong to. */
export type JobOfCheckpoints = 'open' | 'gone' | { readonly endedAt: number }

/** Checkpoints that are old, or whose job is gone, may be removed. */
export type Keeping = 'keep' | 'old' | 'orphaned'

const DAY_MS = 24 * 3_600_000

export function keepingOf(
  job: JobOfCheckpoints,
  { keepDays, now }: CheckpointSettings & { readonly now: number },
): Keeping {
  if (job === 'gone') return 'orphaned'
  if (job === 'open' || keepDays === null) return 'keep'
  return now - job.endedAt > keepDays * DAY_MS ? 'old' : 'keep'
}

/** What became of a job's checkpoints in one repository. */
export type RemovedCheckpoints = {
  readonly jobId: string
  /** Its git directory. */
  readonly repository: string
  /** `gone`: the repository was removed, and the checkpoints with it. `kept`: git could not remove them. */
  readonly state: 'removed' | 'gone' | 'kept'
  /** How many refs were removed. */
  readonly count: number
  /** Why they are kept. */
  readonly problem: string | null
}

export function removedWords(removed: RemovedCheckpoints): string {
  const { jobId, repository, state, count, problem } = removed
  switch (state) {
    case 'removed':
      return (
        `removed ${count} ${count === 1 ? 'checkpoint' : 'checkpoints'} of ${jobId} from ${repository}; ` +
        'git drops their content with its next `git gc`, two weeks later at the earliest'
      )
    case 'gone':
      return `the repository ${repository} no longer exists: the checkpoints of ${jobId} are gone with it`
    case 'kept':
      return `the checkpoints of ${jobId} are still in ${repository}: ${problem}; try again with \`reprise jobs prune\``
  }
}
