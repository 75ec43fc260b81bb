// 7: work that comes again does so in even steps or by a cron expression, and knows when it was due.

const STEPS = `'{"everyMs":' || every_ms || '}'`

export const recurrence = (): readonly string[] => [
  'alter table jobs add column schedule text',
  `update jobs set schedule = ${STEPS} where every_ms is not null`,
  'alter table jobs drop column every_ms',
  'alter table jobs add column due_at bigint not null default 0',
  'update jobs set due_at = coalesce(started_at, next_attempt_at, created_at)',
  `alter table schedules add column recurrence text not null default ''`,
  `update schedules set recurrence = ${STEPS}`,
  'alter table schedules drop column every_ms',
]
