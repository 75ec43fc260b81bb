// 1: the tables of threads, runs, events, sessions and leases.
import type { Dialect } from '../dialect.ts'

export const tables = (dialect: Dialect): readonly string[] => [
  `create table threads (
    id text primary key,
    title text,
    agent text not null,
    work_dir text not null,
    view text not null,
    forked_from text,
    branch_id text not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index threads_by_activity on threads (updated_at, id)',

  `create table messages (
    id text primary key,
    thread_id text not null references threads (id) on delete cascade,
    role text not null,
    agent text,
    text text not null,
    exact_text text,
    tools text not null,
    interrupted integer not null,
    hash text not null,
    run_id text,
    created_at bigint not null
  )`,
  'create index messages_by_thread on messages (thread_id)',

  `create table branches (
    id text primary key,
    thread_id text not null references threads (id) on delete cascade,
    created_at bigint not null
  )`,
  'create index branches_by_thread on branches (thread_id)',

  `create table branch_entries (
    branch_id text not null references branches (id) on delete cascade,
    position integer not null,
    message_id text not null references messages (id) on delete cascade,
    primary key (branch_id, position),
    unique (message_id, branch_id)
  )`,

  `create table runs (
    seq ${dialect.growingKey},
    id text not null unique,
    place bigint not null,
    agent text not null,
    model text,
    status text not null,
    thread_id text references threads (id) on delete cascade,
    chain_id text,
    job_id text,
    tier integer,
    attempt integer not null,
    parent_run_id text,
    continued_by text,
    prompt_message_id text,
    answer_message_id text,
    work_dir text not null,
    permission_mode text not null,
    allowed_tools text not null,
    disallowed_tools text not null,
    fresh_session integer not null,
    instructions text,
    owner text not null,
    cancel_requested integer not null default 0,
    kill_reason text,
    session_id text,
    session_confirmed_at bigint,
    session_resumed integer not null default 0,
    decision text,
    facts text,
    resume_settings text,
    input_tokens bigint not null default 0,
    cache_read_tokens bigint not null default 0,
    cache_write_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    context_tokens bigint,
    context_window bigint,
    cost_usd double precision,
    cost_source text not null default 'none',
    cost_disputed integer not null default 0,
    cold_input_tokens bigint,
    cold_cost_usd double precision,
    saved_usd double precision,
    turns integer not null default 0,
    duration_ms bigint,
    queued_at bigint not null,
    started_at bigint,
    first_event_at bigint,
    last_event_at bigint,
    ended_at bigint,
    exit text,
    failure text,
    runtime text
  )`,
  'create index runs_by_thread on runs (thread_id, seq)',
  'create index runs_by_queue on runs (thread_id, status, place)',
  'create index runs_by_status on runs (status, seq)',
  'create index runs_by_session on runs (session_id, seq)',

  `create table events (
    run_id text not null references runs (id) on delete cascade,
    seq integer not null,
    at bigint not null,
    type text not null,
    json text not null,
    primary key (run_id, seq)
  )`,

  `create table sessions (
    id text primary key,
    session_id text not null,
    thread_id text not null references threads (id) on delete cascade,
    agent text not null,
    pointer text not null,
    state text not null,
    retired_because text,
    confirmed_at bigint,
    work_dir text not null,
    model text,
    runtime text not null,
    forked_from text,
    instructions_hash text,
    context_tokens bigint,
    context_window bigint,
    reported_cost_usd double precision not null,
    fruitless_resumes integer not null,
    failed_resumes integer not null,
    created_at bigint not null,
    last_message_at bigint not null,
    turn_count integer not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    last_stop_reason text,
    unique (session_id, agent)
  )`,
  'create index sessions_by_thread on sessions (thread_id, agent)',

  `create table session_seen (
    session text not null references sessions (id) on delete cascade,
    position integer not null,
    hash text not null,
    anchor text,
    is_part integer not null,
    primary key (session, position)
  )`,

  `create table leases (
    resource text primary key,
    token bigint not null,
    run_id text,
    owner text,
    until bigint not null
  )`,
  'create index leases_by_run on leases (run_id)',

  `create table runtimes (
    key text primary key,
    json text not null
  )`,
]
