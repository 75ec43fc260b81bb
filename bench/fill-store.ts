// Fills a store with threads of ten finished turns each: rows by plain SQL, because a million turns by the API take hours.
import Database from 'better-sqlite3'
import { hashOf } from '../src/core/conversation/messages.ts'
import { sqlite } from '../src/index.ts'

export const AGENT = 'claude-code'
export const WORK_DIR = '/work'
export const RUNTIME = 'claude 2.1.325'
export const RUNS_PER_THREAD = 10

const STARTED_AT = 1_700_000_000_000
const EVENTS_PER_RUN = 3

/** The id of the nth thread. */
export function threadId(index: number): string {
  return `thr_${String(index).padStart(8, '0')}`
}

export async function fillStore(file: string, runs: number): Promise<void> {
  // Creates the tables.
  await (await sqlite(file)()).close()
  const database = new Database(file)
  database.pragma('synchronous = off')
  database.pragma('cache_size = -500000')
  try {
    database.transaction(() => fill(database, runs / RUNS_PER_THREAD))()
  } finally {
    database.close()
  }
}

function fill(database: Database.Database, threads: number): void {
  // n: one row per thread. t: one row per message of a thread.
  database.exec(`create temp table n (i integer primary key, thread text, session text)`)
  database.exec(
    `create temp table t (k integer primary key, role text, agent text, text text, hash text)`,
  )
  const addThread = database.prepare('insert into n values (?, ?, ?)')
  for (let i = 0; i < threads; i += 1) addThread.run(i, threadId(i), `ses_${i}`)
  const addMessage = database.prepare('insert into t values (?, ?, ?, ?, ?)')
  for (const row of messageRows()) addMessage.run(...row)
  for (const statement of STATEMENTS) database.exec(statement)
}

/** A message of a thread: its place, role, agent, text and hash. */
type MessageRow = readonly [number, string, string | null, string, string]

export function messageRows(): readonly MessageRow[] {
  return Array.from({ length: 2 * RUNS_PER_THREAD }, (_, k): MessageRow => {
    const role = k % 2 === 0 ? ('user' as const) : ('assistant' as const)
    const text = `${role === 'user' ? 'Question' : 'Answer'} ${k}: ${'some words '.repeat(8)}`
    const message = { role, agent: role === 'user' ? null : AGENT, text }
    return [k, role, message.agent, text, hashOf(message)]
  })
}

// Columns by name: a column that a later migration adds must not end this.
export const STATEMENTS = [
  `insert into threads (id, title, agent, work_dir, view, branch_id, created_at, updated_at)
   select thread, 'A thread', '${AGENT}', '${WORK_DIR}', 'all', thread, ${STARTED_AT}, ${STARTED_AT} + i
   from n`,
  `insert into branches (id, thread_id, created_at)
   select thread, thread, ${STARTED_AT}
   from n`,
  `insert into messages (id, thread_id, role, agent, text, tools, interrupted, hash, run_id, created_at)
   select 'msg_' || i || '_' || k, thread, role, t.agent, text, '[]', 0, hash, 'run_' || i || '_' || (k / 2), ${STARTED_AT}
   from n cross join t`,
  `insert into branch_entries (branch_id, position, message_id)
   select thread, k, 'msg_' || i || '_' || k
   from n cross join t`,
  `insert into runs (id, place, agent, model, status, thread_id, attempt, prompt_message_id, answer_message_id, work_dir,
     permission_mode, allowed_tools, disallowed_tools, fresh_session, owner, session_id, session_resumed, decision, facts,
     resume_settings, input_tokens, output_tokens, cost_usd, cost_source, queued_at, started_at, ended_at, exit)
   select 'run_' || i || '_' || (k / 2), i * ${RUNS_PER_THREAD} + k / 2, '${AGENT}', 'a-model', 'completed', thread, 1,
     'msg_' || i || '_' || k, 'msg_' || i || '_' || (k + 1), '${WORK_DIR}',
     'default', '[]', '[]', 0, '{}', session, 1, '{"action":"resume"}', '{}',
     '{}', 1000, 100, 0.01, 'agent', ${STARTED_AT}, ${STARTED_AT}, ${STARTED_AT}, '{"code":0}'
   from n cross join t
   where k % 2 = 0`,
  `insert into events (run_id, seq, at, type, json)
   select id, k + 1, ${STARTED_AT}, 'text', '{"type":"text","text":"a piece of an answer"}'
   from runs cross join t
   where k < ${EVENTS_PER_RUN}`,
  `insert into sessions (id, session_id, thread_id, agent, pointer, state, confirmed_at, work_dir, model, runtime,
     context_tokens, context_window, reported_cost_usd, fruitless_resumes, failed_resumes, created_at, last_message_at,
     turn_count, input_tokens, output_tokens, last_stop_reason)
   select session, session, thread, '${AGENT}', 'confirmed', 'active', ${STARTED_AT}, '${WORK_DIR}', 'a-model', '${RUNTIME}',
     5000, 200000, 0, 0, 0, ${STARTED_AT}, ${STARTED_AT}, ${RUNS_PER_THREAD}, 0, 0, 'end_turn'
   from n`,
  `insert into session_seen (session, position, hash, is_part)
   select session, k, hash, 0
   from n cross join t`,
  `insert into leases (resource, token, until)
   select 'thread:' || thread, ${RUNS_PER_THREAD}, 0
   from n`,
  `insert into leases (resource, token, until)
   select 'session:${AGENT}:' || session, ${RUNS_PER_THREAD}, 0
   from n`,
]
