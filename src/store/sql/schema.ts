// The tables as the query layer sees them: one type per table, columns as the database returns them.
import type { Generated } from 'kysely'

/** 0 or 1: SQLite has no booleans. */
export type Bit = number

export type ThreadsTable = {
  id: string
  kind: Generated<string>
  title: string | null
  agent: string
  work_dir: string
  view: string
  forked_from: string | null
  instructions: string | null
  trust: string | null
  sandbox: string | null
  /** The branch that counts now. */
  branch_id: string
  created_at: number
  updated_at: number
}

export type MessagesTable = {
  id: string
  thread_id: string
  role: string
  agent: string | null
  /** What is searched. */
  text: string
  /** The text as a JSON string, when `text` cannot hold it exactly (NUL, lone surrogates). */
  exact_text: string | null
  tools: string
  interrupted: Bit
  hash: string
  run_id: string | null
  created_at: number
}

export type BranchesTable = { id: string; thread_id: string; created_at: number }

export type BranchEntriesTable = { branch_id: string; position: number; message_id: string }

export type RunsTable = {
  /** Grows with every run: newest first is by this, never by time. */
  seq: Generated<number>
  id: string
  /** Queue order within a thread: the `seq` of the turn's first run. */
  place: number
  agent: string
  model: string | null
  status: string
  thread_id: string | null
  chain_id: string | null
  job_id: string | null
  tier: number | null
  attempt: number
  parent_run_id: string | null
  continued_by: string | null
  prompt_message_id: string | null
  answer_message_id: string | null
  work_dir: string
  permission_mode: string
  allowed_tools: string
  disallowed_tools: string
  fresh_session: Bit
  trust: string
  sandbox_wanted: string
  sandbox: string | null
  sandbox_note: string | null
  instructions: string | null
  /** JSON. */
  limits: string | null
  /** Who answers for it: the submitter, then whoever claimed it or took it over. */
  owner: string
  cancel_requested: Bit
  kill_reason: string | null
  session_id: string | null
  session_confirmed_at: number | null
  session_resumed: Bit
  decision: string | null
  facts: string | null
  resume_settings: string | null
  input_tokens: number
  cache_read_tokens: number
  cache_write_tokens: number
  output_tokens: number
  context_tokens: number | null
  context_window: number | null
  cost_usd: number | null
  cost_source: string
  cost_disputed: Bit
  cold_input_tokens: number | null
  cold_cost_usd: number | null
  saved_usd: number | null
  turns: number
  duration_ms: number | null
  queued_at: number
  started_at: number | null
  first_event_at: number | null
  last_event_at: number | null
  ended_at: number | null
  exit: string | null
  failure: string | null
  runtime: string | null
  questions: string
  replies_to: string | null
  verdict: string | null
  /** What the supervisor of the chain decided when it ended. */
  chain_step: string | null
  handover_note: string | null
}

export type EventsTable = {
  /** Grows over all runs, in the order of the commits. */
  position: Generated<number>
  run_id: string
  seq: number
  at: number
  type: string
  json: string
}

export type SessionsTable = {
  id: string
  session_id: string
  thread_id: string
  agent: string
  pointer: string
  state: string
  retired_because: string | null
  confirmed_at: number | null
  work_dir: string
  model: string | null
  runtime: string
  forked_from: string | null
  known_end: string | null
  instructions_hash: string | null
  context_tokens: number | null
  context_window: number | null
  reported_cost_usd: number
  fruitless_resumes: number
  failed_resumes: number
  created_at: number
  last_message_at: number
  turn_count: number
  input_tokens: number
  output_tokens: number
  last_stop_reason: string | null
}

/** `session` is our id of it. */
export type SessionSeenTable = {
  session: string
  position: number
  hash: string
  anchor: string | null
  is_part: number
}

/** A row outlives its holder, so that `token` only ever grows. Free: `run_id` is null. */
export type LeasesTable = {
  resource: string
  token: number
  run_id: string | null
  owner: string | null
  /** By the database's clock, in milliseconds. */
  until: number
}

export type RequestKeysTable = {
  key: string
  /** Fingerprint of what was asked for. */
  request: string
  thread_id: string
  run_id: string | null
  message_id: string | null
  note: string
  created_at: number
}

export type DispatchesTable = {
  seq: Generated<number>
  queue: string
  id: string
  key: string | null
  per_key: number
  priority: number
  /** `created`, `active` or `dead`; what is done is gone. */
  state: string
  not_before: number
  /** Dispatched once more while it was out. */
  again_at: number | null
  /** Grows with each delivery, and fences it. */
  delivery: number
  /** In a row. */
  failures: number
  retry_limit: number
  owner: string | null
  /** By the database's clock. */
  beat_until: number
  cancel_requested: Bit
  error: string | null
  created_at: number
}

export type QuestionsTable = {
  run_id: string
  tool_use_id: string
  kind: string
  tool: string
  input: string
  items: string
  state: string
  delivery: string
  answer: string | null
  asked_at: number
  expires_at: number
  closed_at: number | null
}

export type JobsTable = {
  seq: Generated<number>
  id: string
  thread_id: string
  status: string
  prompt: string
  agent: string
  model: string | null
  work_dir: string
  permission_mode: string
  allowed_tools: string
  disallowed_tools: string
  trust: string | null
  sandbox: string | null
  instructions: string | null
  policy: string
  checkpoints: string
  concurrency_key: string | null
  priority: number
  next_attempt_at: number | null
  next_how: string
  step: string | null
  settled_run_id: string | null
  attempts_from: number
  schedule: string | null
  due_at: number
  root_id: string | null
  cancel_requested: Bit
  created_at: number
  started_at: number | null
  ended_at: number | null
}

export type RuntimesTable = { key: string; json: string }

export type ChainsTable = {
  id: string
  thread_id: string
  agent: string
  work_dir: string
  policy_name: string
  prompt: string
  /** Policy, ceiling, dry run and budget as they were at the start. */
  mandate: string
  is_dry_run: Bit
  status: string
  tier: number
  because: string
  schedule_id: string | null
  created_at: number
  ended_at: number | null
}

export type SchedulesTable = {
  id: string
  policy_name: string
  /** What a chain of it is started with. */
  request: string
  recurrence: string
  next_at: number
  last_chain_id: string | null
  last_skipped_at: number | null
  skipped: number
  created_at: number
}

export type Schema = {
  threads: ThreadsTable
  messages: MessagesTable
  branches: BranchesTable
  branch_entries: BranchEntriesTable
  runs: RunsTable
  events: EventsTable
  sessions: SessionsTable
  session_seen: SessionSeenTable
  leases: LeasesTable
  runtimes: RuntimesTable
  request_keys: RequestKeysTable
  dispatches: DispatchesTable
  questions: QuestionsTable
  jobs: JobsTable
  chains: ChainsTable
  schedules: SchedulesTable
}
