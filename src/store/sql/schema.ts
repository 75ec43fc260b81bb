// The rows of all tables: one type per table, columns as the database returns them.

/** 0 or 1: SQLite has no booleans. */
export type Bit = number

export type ThreadRow = {
  id: string
  kind: string
  title: string | null
  agent: string
  work_dir: string
  view: string
  forked_from: string | null
  instructions: string | null
  trust: string | null
  sandbox: string | null
  /** The current branch. */
  branch_id: string
  created_at: number
  updated_at: number
}

export type MessageRow = {
  id: string
  thread_id: string
  role: string
  agent: string | null
  /** The text for searches. */
  text: string
  /** The text as a JSON string, when `text` cannot hold it exactly (NUL, lone surrogates). */
  exact_text: string | null
  tools: string
  interrupted: Bit
  hash: string
  run_id: string | null
  created_at: number
}

export type BranchRow = { id: string; thread_id: string; created_at: number }

export type BranchEntryRow = { branch_id: string; position: number; message_id: string }

export type RunRow = {
  /** Grows with every run. Lists sort by it, never by time. */
  seq: number
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
  /** JSON; null before the run has started. */
  session_mark: string | null
  /** The parked call with which the run continues instead of a prompt. */
  answer_to: string | null
  instructions: string | null
  /** JSON. */
  limits: string | null
  /** The responsible process: first the submitter, then the one that claimed the run or took it over. */
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
  /** What the supervisor of the chain decided when the run ended. */
  chain_step: string | null
  /** The kind of that step, for counts. */
  chain_step_kind: string | null
  handover_note: string | null
}

/** `json`: a `SentPrompt`. */
export type SentPromptRow = { run_id: string; json: string }

export type EventRow = {
  /** Grows over all runs, in the order of the commits. */
  position: number
  run_id: string
  seq: number
  at: number
  type: string
  json: string
}

/** One row per thread, chain and job that changed. */
export type ChangeRow = { position: number; kind: string; id: string; at: number }

export type SessionRow = {
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
export type SeenRow = {
  session: string
  position: number
  hash: string
  anchor: string | null
  is_part: number
}

/** A row outlives its holder, so that `token` only ever grows. Free: `run_id` is null. */
export type LeaseRow = {
  resource: string
  token: number
  run_id: string | null
  owner: string | null
  /** By the database's clock, in milliseconds. */
  until: number
}

export type RequestKeyRow = {
  key: string
  /** Fingerprint of the request. */
  request: string
  thread_id: string
  run_id: string | null
  message_id: string | null
  note: string
  created_at: number
}

export type DispatchRow = {
  seq: number
  queue: string
  id: string
  key: string | null
  per_key: number
  priority: number
  /** `created`, `active` or `dead`; done work has no row. */
  state: string
  not_before: number
  /** Set when the work was dispatched again while a worker had it. */
  again_at: number | null
  /** Grows with each delivery, and fences it. */
  delivery: number
  /** Failures in a row. */
  failures: number
  retry_limit: number
  owner: string | null
  /** By the database's clock. */
  beat_until: number
  cancel_requested: Bit
  error: string | null
  created_at: number
}

export type QuestionRow = {
  run_id: string
  tool_use_id: string
  kind: string
  tool: string
  input: string
  items: string
  /** A `PermissionRule`; null for what can be allowed only once. */
  rule: string | null
  state: string
  delivery: string
  answer: string | null
  /** Hash of the message that repeats the answer, because its run did not live to act on it. */
  restated_hash: string | null
  asked_at: number
  expires_at: number
  closed_at: number | null
}

export type JobRow = {
  seq: number
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

export type RuntimeRow = { key: string; json: string }

export type ChainRow = {
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

export type ScheduleRow = {
  id: string
  policy_name: string
  /** The request with which its chains start. */
  request: string
  recurrence: string
  next_at: number
  last_chain_id: string | null
  last_skipped_at: number | null
  skipped: number
  created_at: number
}

export type Schema = {
  threads: ThreadRow
  messages: MessageRow
  branches: BranchRow
  branch_entries: BranchEntryRow
  runs: RunRow
  sent_prompts: SentPromptRow
  events: EventRow
  changes: ChangeRow
  sessions: SessionRow
  session_seen: SeenRow
  leases: LeaseRow
  runtimes: RuntimeRow
  request_keys: RequestKeyRow
  dispatches: DispatchRow
  questions: QuestionRow
  jobs: JobRow
  chains: ChainRow
  schedules: ScheduleRow
}

/** Columns that the database fills in when an insert leaves them out. */
type Filled = {
  threads: 'kind'
  runs: 'seq'
  events: 'position'
  changes: 'position'
  dispatches: 'seq'
  jobs: 'seq'
}

type Nullable<Row> = {
  [Column in keyof Row]: null extends Row[Column] ? Column : never
}[keyof Row]

/** Columns that an insert may leave out. */
type Omissible<Table extends keyof Schema> =
  | Nullable<Schema[Table]>
  | (Table extends keyof Filled ? Extract<Filled[Table], keyof Schema[Table]> : never)

/** A row as an insert takes it. */
export type NewRow<Table extends keyof Schema> = Omit<Schema[Table], Omissible<Table>> &
  Partial<Pick<Schema[Table], Omissible<Table>>>
