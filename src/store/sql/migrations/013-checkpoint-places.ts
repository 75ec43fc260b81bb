// 13: the repositories that hold checkpoints of a job. A row outlives its job, until the refs are removed.

export const checkpointPlaces = (): readonly string[] => [
  `create table checkpoint_places (
    job_id text not null,
    git_dir text not null,
    primary key (job_id, git_dir)
  )`,
]
