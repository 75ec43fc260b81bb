// The event log of a run: appended in order, counted from 1 without gaps (I10).
import { sql } from 'kysely'
import { inChunks } from './chunks.ts'
import { type Sql, write } from './dialect.ts'
import { fence } from './leases.ts'
import { firstOf, insertRows, updateRow } from './plain-sql.ts'
import type { NewEvent, Store } from './store.ts'

export function eventVerbs(
  database: Sql,
): Pick<Store, 'appendEvents' | 'events' | 'feed' | 'lastPosition' | 'changedRuns'> {
  return {
    appendEvents: async (lease, runId, events) => {
      if (events.length === 0) return
      await write(database, async tx => {
        await fence(tx, lease, runId)
        await appendEvents(tx, runId, events)
      })
    },

    async events(runId, afterSeq, limit) {
      return database.db
        .selectFrom('events')
        .select(['run_id as runId', 'seq', 'at', 'type', 'json'])
        .where('run_id', '=', runId)
        .where('seq', '>', afterSeq)
        .orderBy('seq')
        .limit(limit)
        .execute()
    },

    async feed(after, limit) {
      return database.db
        .selectFrom('events')
        .innerJoin('runs', 'runs.id', 'events.run_id')
        .select([
          'events.position',
          'events.run_id as runId',
          'runs.thread_id as threadId',
          'events.seq',
          'events.at',
          'events.type',
          'events.json',
        ])
        .where('events.position', '>', after)
        .orderBy('events.position')
        .limit(limit)
        .execute()
    },

    changedRuns: after =>
      database.db
        .selectFrom('events')
        .select(eb => ['run_id as runId', eb.fn.max('position').as('position')])
        .where('position', '>', after)
        .groupBy('run_id')
        .execute(),

    async lastPosition() {
      const last = await database.db
        .selectFrom('events')
        .select(eb => eb.fn.max('position').as('position'))
        .executeTakeFirst()
      return last?.position ?? 0
    },
  }
}

export async function appendEvents(
  tx: Sql,
  runId: string,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  await insertEvents(tx, runId, events)
  await updateRow(tx, { table: 'runs', id: runId }, eventTimes(events))
}

/** Whoever changes the run in the same transaction sets `eventTimes` along with the rest. */
export async function insertEvents(
  tx: Sql,
  runId: string,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  const last = await firstOf(
    tx,
    sql<{ seq: number }>`
      select seq
      from events
      where run_id = ${runId}
      order by seq desc
      limit 1
    `,
  )
  const first = (last?.seq ?? 0) + 1
  const rows = events.map(({ at, type, json }, index) => ({
    run_id: runId,
    seq: first + index,
    at,
    type,
    json,
  }))
  for (const some of inChunks(rows)) await insertRows(tx, { table: 'events' }, some)
}

/** What new events change in the row of their run. */
export function eventTimes(events: readonly NewEvent[]) {
  const [first] = events
  const last = events.at(-1)
  if (first === undefined || last === undefined) return {}
  return {
    first_event_at: sql<number>`coalesce(first_event_at, ${first.at})`,
    last_event_at: last.at,
  }
}
