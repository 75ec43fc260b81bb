// The newest ids of a store that begin with some letters, for a shell that completes them. It reads only and never waits.
import Database from 'better-sqlite3'

export type IdKind = 'thread' | 'run' | 'job' | 'chain' | 'session' | 'schedule'

export type RecentId = { readonly id: string; readonly about: string }

const MOST = 50

const QUERIES: Readonly<Record<IdKind, string>> = {
  thread: `select id, coalesce(title, work_dir) as about
    from threads
    where id like ? escape '!'
    order by updated_at desc`,
  run: `select id, status || ' ' || agent as about
    from runs
    where id like ? escape '!'
    order by seq desc`,
  job: `select id, status || ' ' || prompt as about
    from jobs
    where id like ? escape '!'
    order by seq desc`,
  chain: `select id, status || ' ' || policy_name as about
    from chains
    where id like ? escape '!'
    order by created_at desc`,
  session: `select id, pointer || ' ' || agent as about
    from sessions
    where id like ? escape '!'
    order by rowid desc`,
  schedule: `select id, policy_name as about
    from schedules
    where id like ? escape '!'
    order by created_at desc`,
}

/** Throws when the file cannot be read now, or is not a store. */
export function recentIds(file: string, kind: IdKind, prefix: string): readonly RecentId[] {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: 0 })
  try {
    const pattern = `${prefix.replace(/[!%_]/g, '!$&')}%`
    return database.prepare<[string], RecentId>(`${QUERIES[kind]} limit ${MOST}`).all(pattern)
  } finally {
    database.close()
  }
}
