// 22: the processes that work on jobs, on whichever host; what a job requires of them; the hosts of runs and of checkpoints.
export const workersTable = (): readonly string[] => [
  `create table workers (
    id text primary key,
    host text not null,
    pid bigint not null,
    start_time text not null,
    version text not null,
    labels text not null,
    shared_roots text not null,
    concurrency bigint not null,
    active bigint not null,
    agents text not null,
    draining integer not null,
    started_at bigint not null,
    beat_at bigint not null,
    gone_at bigint not null
  )`,
  'alter table runs add column host text',
  'alter table checkpoint_places add column host text',
  "alter table jobs add column labels text not null default '[]'",
  'alter table jobs add column shared_root text',
]
