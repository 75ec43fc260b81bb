// Creates the run that follows another one in the same turn; holds the values with which every run begins.
import type { Sql } from '../../sql/dialect.ts'
import { insertRows, updateRow } from '../../sql/plain-sql.ts'
import type { RunRow } from '../../sql/schema.ts'

/** The columns in which a reply differs from the run that it follows. */
type ReplyColumns = Pick<
  RunRow,
  'attempt' | 'prompt_message_id' | 'replies_to' | 'owner' | 'cancel_requested'
>

/** The next run of the same turn: same place in the queue, and the same prompt unless it is a reply. */
export async function continueIn(
  tx: Sql,
  next: {
    readonly from: RunRow
    readonly runId: string
    readonly at: number
    readonly reply?: ReplyColumns
  },
): Promise<void> {
  const { from, runId, at, reply } = next
  await insertFollowing(tx, { from, runId, at, ...(reply && { changed: reply }) })
  await updateRow(tx, { table: 'runs', id: from.id }, { continued_by: runId })
}

/** A run with the place, the agent and the settings of another one. */
export async function insertFollowing(
  tx: Sql,
  {
    from,
    runId,
    at,
    changed = {},
  }: {
    readonly from: RunRow
    readonly runId: string
    readonly at: number
    readonly changed?: Partial<RunRow>
  },
): Promise<void> {
  await insertRows(tx, { table: 'runs' }, [
    {
      ...NEW_RUN,
      id: runId,
      place: from.place,
      agent: from.agent,
      model: from.model,
      thread_id: from.thread_id,
      chain_id: from.chain_id,
      job_id: from.job_id,
      tier: from.tier,
      attempt: from.attempt + 1,
      parent_run_id: from.id,
      prompt_message_id: from.prompt_message_id,
      work_dir: from.work_dir,
      permission_mode: from.permission_mode,
      allowed_tools: from.allowed_tools,
      disallowed_tools: from.disallowed_tools,
      trust: from.trust,
      sandbox_wanted: from.sandbox_wanted,
      fresh_session: from.fresh_session,
      instructions: from.instructions,
      limits: from.limits,
      questions: from.questions,
      replies_to: from.replies_to,
      owner: from.owner,
      cancel_requested: from.cancel_requested,
      trace: from.trace,
      queued_at: at,
      ...changed,
    },
  ])
}

/** First values of every run; the other columns have a default or come from the caller. */
export const NEW_RUN = {
  status: 'queued',
  place: 0,
  cancel_requested: 0,
  session_resumed: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  cost_source: 'none',
  cost_disputed: 0,
  turns: 0,
}
