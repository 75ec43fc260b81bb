// The statements that find the newest ids of a store that begin with some letters, for a shell that completes them.
import { raw, type Statement, sql } from './statement.ts'

export type IdKind = 'thread' | 'run' | 'job' | 'chain' | 'session' | 'schedule'

export type RecentId = { readonly id: string; readonly about: string }

const MOST = 50

const PLACES: Readonly<Record<IdKind, { table: string; about: string; newest: string }>> = {
  thread: { table: 'threads', about: 'coalesce(title, work_dir)', newest: 'updated_at' },
  run: { table: 'runs', about: `status || ' ' || agent`, newest: 'seq' },
  job: { table: 'jobs', about: `status || ' ' || prompt`, newest: 'seq' },
  chain: { table: 'chains', about: `status || ' ' || policy_name`, newest: 'created_at' },
  session: { table: 'sessions', about: `pointer || ' ' || agent`, newest: 'created_at' },
  schedule: { table: 'schedules', about: 'policy_name', newest: 'created_at' },
}

export function newestIds(kind: IdKind, prefix: string): Statement<RecentId> {
  const { table, about, newest } = PLACES[kind]
  const pattern = `${prefix.replace(/[!%_]/g, '!$&')}%`
  return sql`
    select id, ${raw(about)} as about
    from ${raw(table)}
    where id like ${pattern} escape '!'
    order by ${raw(newest)} desc
    limit ${raw(String(MOST))}
  `
}
