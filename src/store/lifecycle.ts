// L-1: the life of a session beside its pointer: active, paused, completed, expired, archived; and active again when it is used.
import { OPEN_JOB_STATUSES } from '../core/job.ts'
import type { LifecycleState } from '../core/session.ts'
import { type Sql, write } from './dialect.ts'
import type { LifecycleVerbs } from './lifecycle-verbs.ts'
import { sessionById } from './sessions.ts'

export function lifecycleVerbs(database: Sql): LifecycleVerbs {
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
      const ids = await database.db
        .selectFrom('sessions')
        .select('id')
        .where('state', '=', state)
        .orderBy('last_message_at')
        .limit(limit)
        .execute()
      const found = await Promise.all(ids.map(({ id }) => sessionById(database, id)))
      return found.filter(session => session !== null)
    },

    setSessionState: async (id, from, to) => {
      const changed = await database.db
        .updateTable('sessions')
        .set({ state: to })
        .where('id', '=', id)
        .where('state', '=', from)
        .executeTakeFirst()
      return changed.numUpdatedRows > 0n
    },
  }
}

async function change(
  tx: Sql,
  from: readonly LifecycleState[],
  to: LifecycleState,
  before: number,
): Promise<number> {
  const changed = await free(tx)
    .set({ state: to })
    .where('state', 'in', from)
    .where('last_message_at', '<=', before)
    .executeTakeFirst()
  return Number(changed.numUpdatedRows)
}

/** A chat can always be continued; the work of a job that is over is done. */
async function complete(tx: Sql): Promise<number> {
  const changed = await free(tx)
    .set({ state: 'completed' })
    .where('state', 'in', ['active', 'paused'])
    .where('thread_id', 'in', eb =>
      eb.selectFrom('jobs').select('thread_id').where('status', 'not in', OPEN_JOB_STATUSES),
    )
    .executeTakeFirst()
  return Number(changed.numUpdatedRows)
}

function free({ db }: Sql) {
  return db
    .updateTable('sessions')
    .where(eb =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('leases')
            .innerJoin('runs', 'runs.id', 'leases.run_id')
            .select('leases.run_id')
            .whereRef('runs.session_id', '=', 'sessions.session_id')
            .whereRef('runs.agent', '=', 'sessions.agent'),
        ),
      ),
    )
}
