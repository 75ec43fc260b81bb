// The state of a session beside its pointer: active, paused, completed, expired, archived; and active again after use.

import type { LifecycleState } from '../../../core/conversation/session.ts'
import { OPEN_JOB_STATUSES } from '../../../core/job/job.ts'
import type { SessionStateVerbs } from '../../contract/sessions.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { rowsOf } from '../../sql/plain-sql.ts'
import { join, sql } from '../../sql/statement.ts'
import { sessionById } from './sessions.ts'

export function sessionStateVerbs(database: Database): SessionStateVerbs {
  return {
    sweepSessions: ({ pauseBefore, expireBefore }) =>
      write(database, async tx => {
        const expired =
          expireBefore === null
            ? 0
            : await change(tx, ['active', 'paused', 'completed'], 'expired', expireBefore)
        const completed = await complete(tx)
        const paused = await change(tx, ['active'], 'paused', pauseBefore)
        return { paused, completed, expired }
      }),

    sessionsIn: async (state, limit) => {
      const ids = await rowsOf(
        database,
        sql<{ id: string }>`
          select id
          from sessions
          where state = ${state}
          order by last_message_at
          limit ${limit}
        `,
      )
      const found = await Promise.all(ids.map(({ id }) => sessionById(database, id)))
      return found.filter(session => session !== null)
    },

    setSessionState: async (id, from, to) => {
      const { changes } = await database.execute(sql`
        update sessions
        set state = ${to}
        where id = ${id}
        and state = ${from}
      `)
      return changes > 0
    },
  }
}

async function change(
  tx: Sql,
  from: readonly LifecycleState[],
  to: LifecycleState,
  before: number,
): Promise<number> {
  const { changes } = await tx.execute(sql`
    update sessions
    set state = ${to}
    where state in (${join(from)})
    and last_message_at <= ${before}
    and ${IS_FREE}
  `)
  return changes
}

/** Only sessions of jobs that are over are completed; a chat can always be continued. */
async function complete(tx: Sql): Promise<number> {
  const { changes } = await tx.execute(sql`
    update sessions
    set state = 'completed'
    where state in ('active', 'paused')
    and thread_id in (
      select thread_id
      from jobs
      where status not in (${join(OPEN_JOB_STATUSES)})
    )
    and ${IS_FREE}
  `)
  return changes
}

const IS_FREE = sql`not exists (
  select 1
  from leases
  join runs on runs.id = leases.run_id
  where runs.session_id = sessions.session_id
  and runs.agent = sessions.agent
)`
