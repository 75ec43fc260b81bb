// The rows of all tables: one type per table, columns as the database returns them.
import type { Bit } from './bit.ts'
import type { ChainRow, DispatchRow, JobRow, ScheduleRow, WorkerRow } from './work-rows.ts'

export type ThreadRow = {
  id: string
  kind: string
  title: string | null
  agent: string
  work_dir: string
  /** The host whose path `work_dir` is; null for a repository and for old rows. */
  host: string | null
  repository: string | null
  repository_ref: string | null
  /** The commit that every host checks out; null before the first of them did. */
  repository_commit: string | null
  view: string
  forked_from: string | null
  instructions: string | null
  trust: string | null
  sandbox: string | null
  /** What its turns get of the conversation; null: as the config says. */
  carry: string | null
  /** The current branch. */
  branch_id: string
  created_at: number
  updated_at: number
  /** JSON: the file that brought it; null: it began here. */
  imported: string | null
  /** The same file or thread has the same key, so that it comes in once. */
  import_key: string | null
  /** An imported thread is only data before this. */
  approved_at: number | null
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
  /** The host that started it; null before that, and for runs of earlier versions. */
  host: string | null
  /** The run that started its process; null before that, and for runs of earlier versions. */
  process_run_id: string | null
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
  estimate: string | null
  /** The trace that the turn belongs to; of a chain's and a job's runs it is in their rows. */
  trace: string | null
  /** It came in a file: somebody else has paid for it. */
  imported: Bit
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
  evidence: string | null
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

/** The key that signs files with threads. There is one, named `own`. */
export type StoreKeyRow = {
  name: string
  private_key: string
  public_key: string
  created_at: number
}

export type RuntimeRow = { key: string; json: string }

/** A piece of the vault. `owner` and `name`: agent and session, or the owner of an object and nothing. */
export type VaultPieceRow = {
  shelf: 'sessions' | 'objects'
  owner: string
  name: string
  piece: string
  digest: string
  at: number
}

/** `bytes`: the size of all parts. */
export type VaultContentRow = { digest: string; bytes: number }

export type VaultPartRow = { digest: string; part: number; packed: Uint8Array }

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
  vault_pieces: VaultPieceRow
  vault_contents: VaultContentRow
  vault_parts: VaultPartRow
  workers: WorkerRow
  store_keys: StoreKeyRow
}

/** Columns that the database fills in when an insert leaves them out. */
type Filled = {
  threads: 'kind'
  runs: 'seq' | 'imported'
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
