// The rows of work: chains, schedules, jobs, what engines hand out, and the workers that take it.
import type { Bit } from './bit.ts'

export type DispatchRow = {
  seq: number
  queue: string
  id: string
  key: string | null
  per_key: number
  /** '': any worker may have it. */
  lane: string
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
  /** JSON. */
  labels: string
  shared_root: string | null
  schedule: string | null
  due_at: number
  root_id: string | null
  cancel_requested: Bit
  trace: string | null
  created_at: number
  started_at: number | null
  ended_at: number | null
}

/** Times are by the database's clock. */
export type WorkerRow = {
  id: string
  host: string
  pid: number
  start_time: string
  version: string
  /** JSON. */
  labels: string
  /** JSON. */
  shared_roots: string
  concurrency: number
  active: number
  /** JSON. */
  agents: string
  draining: Bit
  started_at: number
  beat_at: number
  /** The worker counts as gone from then on, unless it beats again. */
  gone_at: number
}

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
  trace: string | null
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
