// 4: chains with the mandate they began with; threads that are not people's own; verdicts, steps and notes of runs; schedules.

export const chains = (): readonly string[] => [
  "alter table threads add column kind text not null default 'chat'",
  'alter table runs add column verdict text',
  'alter table runs add column chain_step text',
  'alter table runs add column handover_note text',
  'create index runs_by_chain on runs (chain_id, seq)',

  `create table chains (
    id text primary key,
    thread_id text not null references threads (id) on delete cascade,
    agent text not null,
    work_dir text not null,
    policy_name text not null,
    prompt text not null,
    mandate text not null,
    is_dry_run integer not null,
    status text not null,
    tier integer not null,
    because text not null,
    schedule_id text,
    created_at bigint not null,
    ended_at bigint
  )`,
  'create index chains_by_age on chains (created_at, id)',
  'create index chains_by_policy on chains (policy_name, work_dir)',
  'create index chains_by_schedule on chains (schedule_id, status)',

  `create table schedules (
    id text primary key,
    policy_name text not null,
    request text not null,
    every_ms bigint not null,
    next_at bigint not null,
    last_chain_id text,
    last_skipped_at bigint,
    skipped integer not null,
    created_at bigint not null
  )`,
  'create index schedules_by_time on schedules (next_at)',
]
