// The event log of a run: events are appended in order and numbered from 1 without gaps.

import type { EventBody } from '../../../core/run/run-events.ts'
import type { NewEvent, StoredEvent, StoredFeedEvent } from '../../../core/run/stored-events.ts'
import type { EventVerbs } from '../../contract/events.ts'
import { inChunks } from '../../sql/chunks.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { firstOf, insertRows, rowsOf, updateRow } from '../../sql/plain-sql.ts'
import { sql } from '../../sql/statement.ts'
import { changeBefore, changesAfter, lastChange } from './changes.ts'
import { requireLease } from './leases.ts'

export function eventVerbs(database: Database): EventVerbs {
  return {
    appendEvents: async (lease, runId, events) => {
      if (events.length === 0) return
      await write(database, async tx => {
        await requireLease(tx, lease, runId)
        await appendEvents(tx, runId, events)
      })
    },

    events: (runId, afterSeq, limit) =>
      rowsOf(
        database,
        sql<StoredEvent>`
          select run_id as "runId", seq, at, type, json
          from events
          where run_id = ${runId}
          and seq > ${afterSeq}
          order by seq
          limit ${limit}
        `,
      ),

    feed: (after, limit) =>
      rowsOf(
        database,
        sql<StoredFeedEvent>`
          select
            events.position,
            events.run_id as "runId",
            runs.thread_id as "threadId",
            runs.chain_id as "chainId",
            runs.job_id as "jobId",
            events.seq,
            events.at,
            events.type,
            events.json
          from events
          join runs on runs.id = events.run_id
          where events.position > ${after}
          order by events.position
          limit ${limit}
        `,
      ),

    changes: (after, limit) => changesAfter(database, after, limit),
    lastChange: () => lastChange(database),
    changeBefore: at => changeBefore(database, at),

    changedRuns: after =>
      rowsOf(
        database,
        sql<{ runId: string; position: number }>`
          select run_id as "runId", max(position) as position
          from events
          where position > ${after}
          group by run_id
        `,
      ),

    async lastPosition() {
      const statement = sql<{
        position: number | null
      }>`select max(position) as position from events`
      return (await firstOf(database, statement))?.position ?? 0
    },
  }
}

export function newEvent(at: number, event: EventBody): NewEvent {
  return { at, type: event.type, json: JSON.stringify(event) }
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

/**
 * Does not touch the run: a caller that updates it in the same transaction adds `eventTimes` to that update. The rest of the
 * transaction does not see the events.
 */
export async function insertEvents(
  tx: Sql,
  runId: string,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length > 0) await tx.atEnd(() => numberAndInsert(tx, runId, events))
}

async function numberAndInsert(tx: Sql, runId: string, events: readonly NewEvent[]): Promise<void> {
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

/** The columns of the run that new events change. */
export function eventTimes(events: readonly Pick<NewEvent, 'at'>[]) {
  const [first] = events
  const last = events.at(-1)
  if (first === undefined || last === undefined) return {}
  return {
    first_event_at: sql<number>`coalesce(first_event_at, ${first.at})`,
    last_event_at: last.at,
  }
}
