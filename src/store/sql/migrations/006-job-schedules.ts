// 6: jobs that come again.

export const jobSchedules = (): readonly string[] => [
  'alter table jobs add column every_ms bigint',
  'alter table jobs add column root_id text',
  'create index jobs_by_root on jobs (root_id, seq)',
]
