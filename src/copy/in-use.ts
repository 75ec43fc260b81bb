// Refuses to copy a store that somebody uses: what is written meanwhile would be missing in the copy.
import { setTimeout as sleep } from 'node:timers/promises'
import { RepriseError } from '../errors.ts'
import type { Database } from '../store/sql/dialect.ts'
import { firstOf } from '../store/sql/plain-sql.ts'
import { raw, sql } from '../store/sql/statement.ts'

/** The connection of a process that has just ended is seen for a moment. */
const TRIES = 20
const PAUSE_MS = 100

export async function refuseInUse(database: Database, shown: string): Promise<void> {
  const open = await firstOf(
    database,
    sql<{ id: string; status: string }>`
      select id, status
      from runs
      where status in ('queued', 'running')
      or id in (select run_id from leases where run_id is not null)
      order by seq
      limit 1
    `,
  )
  if (open) {
    const hint = `Wait for it, or end it: reprise runs cancel ${open.id}.`
    throw new RepriseError('busy', `${open.id} is ${open.status} in ${shown}`, hint)
  }
  await refuseOthers(database, shown)
}

/** PostgreSQL knows who else is connected. Of a data directory, its daemon is asked for before. */
export async function refuseOthers(database: Database, shown: string): Promise<void> {
  if (database.dialect.name !== 'postgres') return
  let others = 0
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await firstOf(database, OTHERS)
    others = found?.others ?? 0
    if (others === 0) return
    await sleep(PAUSE_MS)
  }
  throw new RepriseError(
    'busy',
    `${others} other connections of Reprise use ${shown}`,
    'Stop the daemons and workers on all machines first: reprise stop.',
  )
}

const OTHERS = raw<{ others: number }>(`
  select count(*) as others
  from pg_stat_activity
  where datname = current_database()
  and application_name = 'reprise'
  and pid <> pg_backend_pid()
`)
