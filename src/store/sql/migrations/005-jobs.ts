// 5: jobs, the work that is to be handed out, and schedules.
import type { Dialect } from '../dialect.ts'

export const jobs = (dialect: Dialect): readonly string[] => [
  `create table dispatches (
    seq ${dialect.growingKey},
    queue text not null,
    id text not null,
    key text,
    per_key integer not null,
    priority integer not null,
    state text not null,
    not_before bigint not null,
    again_at bigint,
    delivery bigint not null,
    failures integer not null,
    retry_limit integer not null,
    owner text,
    beat_until bigint not null,
    cancel_requested integer not null,
    error text,
    created_at bigint not null,
    unique (queue, id)
  )`,
  'create index dispatches_by_turn on dispatches (queue, state, priority desc, seq)',
  'create index dispatches_by_key on dispatches (queue, key, state)',

  `create table jobs (
    seq ${dialect.growingKey},
    id text not null unique,
    thread_id text not null references threads (id) on delete cascade,
    status text not null,
    prompt text not null,
    agent text not null,
    model text,
    work_dir text not null,
    permission_mode text not null,
    allowed_tools text not null,
    disallowed_tools text not null,
    instructions text,
    policy text not null,
    checkpoints text not null,
    concurrency_key text,
    priority integer not null,
    next_attempt_at bigint,
    next_how text not null,
    step text,
    settled_run_id text,
    attempts_from integer not null,
    cancel_requested integer not null,
    created_at bigint not null,
    started_at bigint,
    ended_at bigint
  )`,
  'create index jobs_by_status on jobs (status, seq)',
  'create index jobs_by_thread on jobs (thread_id)',
  // A second worker that believes it has the job cannot begin the same attempt.
  'create unique index runs_by_job on runs (job_id, attempt) where job_id is not null',
]
