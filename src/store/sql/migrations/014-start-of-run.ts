// 14: what recovery needs of a run that has started, in columns; it stood in the run's first event, which everybody reads.
import type { Dialect } from '../dialect.ts'

export const startOfRun = (dialect: Dialect): readonly string[] => [
  'alter table runs add column session_mark text',
  'alter table runs add column answer_to text',
  // Only runs that are not over can still be recovered.
  `update runs
   set session_mark = ${fromStarted(dialect, 'mark')},
     answer_to = ${fromStarted(dialect, 'answerTo')}
   where status in ('running', 'waiting')`,
]

function fromStarted(dialect: Dialect, field: string): string {
  return `(
     select ${dialect.textIn('json', field)}
     from events
     where events.run_id = runs.id
     and events.type = 'started'
   )`
}
