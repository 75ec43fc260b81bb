// 15: which message tells an answer again, and what kind of step the supervisor of a chain took after a run.
import type { Dialect } from '../dialect.ts'

export const toldAgain = (dialect: Dialect): readonly string[] => [
  // The hash of the message: a copy of it in a fork tells the same.
  'alter table questions add column restated_hash text',
  // Beside its prompt, a run has one message of the user's: the one that told again what was answered before its end.
  `update questions
  set restated_hash = (
    select messages.hash
    from messages
    join runs on runs.id = messages.run_id
    where messages.run_id = questions.run_id
    and messages.thread_id = runs.thread_id
    and messages.role = 'user'
    and messages.id <> coalesce(runs.prompt_message_id, '')
    and messages.created_at >= questions.closed_at
    order by messages.created_at
    limit 1
  )
  where state = 'answered'
  and delivery = 'restated'`,

  'alter table runs add column chain_step_kind text',
  `update runs
  set chain_step_kind = ${dialect.textIn('chain_step', 'kind')}
  where chain_step is not null`,
]
