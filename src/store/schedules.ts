// Schedules of chains: kept, and each cycle taken by one process only.
import { type Selectable, sql } from 'kysely'
import { type Sql, write } from './dialect.ts'
import { firstOf, insertRows, rowsOf } from './plain-sql.ts'
import type { Schedule, ScheduledChain, ScheduleVerbs } from './schedule-record.ts'
import type { SchedulesTable } from './schema.ts'

type Row = Selectable<SchedulesTable>

export function scheduleVerbs(database: Sql): ScheduleVerbs {
  return {
    createSchedule: schedule =>
      write(database, async tx => {
        await insertRows(tx, { table: 'schedules' }, [rowOf(schedule)])
      }),

    async schedules() {
      const rows = await rowsOf(
        database,
        sql<Row>`
          select *
          from schedules
          order by created_at, id
        `,
      )
      return rows.map(scheduleOf)
    },

    removeSchedule: id =>
      write(database, async tx => {
        const { numDeletedRows } = await tx.db
          .deleteFrom('schedules')
          .where('id', '=', id)
          .executeTakeFirst()
        return numDeletedRows > 0n
      }),

    takeDue: now => write(database, tx => takeDue(tx, now)),
  }
}

async function takeDue(tx: Sql, now: number): ReturnType<ScheduleVerbs['takeDue']> {
  const row = await firstOf(
    tx,
    sql<Row>`
      select *
      from schedules
      where next_at <= ${now}
      order by next_at, id
      limit 1
    `,
  )
  if (row === undefined) return null
  const running = await firstOf(
    tx,
    sql<{ id: string }>`
      select id
      from chains
      where schedule_id = ${row.id}
      and status = 'running'
      limit 1
    `,
  )
  const isBusy = running !== undefined
  // Times that were missed while nobody was there are not made up for.
  const missed = Math.floor((now - row.next_at) / row.every_ms)
  const next: Row = {
    ...row,
    next_at: row.next_at + (missed + 1) * row.every_ms,
    skipped: row.skipped + (isBusy ? 1 : 0),
    last_skipped_at: isBusy ? now : row.last_skipped_at,
  }
  await sql`
    update schedules
    set next_at = ${next.next_at},
      skipped = ${next.skipped},
      last_skipped_at = ${next.last_skipped_at}
    where id = ${row.id}
  `.execute(tx.db)
  return { schedule: scheduleOf(next), isBusy }
}

/** In the transaction that starts a chain of it. */
export async function noteStarted(tx: Sql, scheduleId: string, chainId: string): Promise<void> {
  await sql`
    update schedules
    set last_chain_id = ${chainId}
    where id = ${scheduleId}
  `.execute(tx.db)
}

function rowOf({ id, everyMs, nextAt, lastChainId, ...rest }: Schedule): Row {
  const { skipped, lastSkippedAt, createdAt, ...request } = rest
  return {
    id,
    policy_name: request.policy.name,
    request: JSON.stringify(request),
    every_ms: everyMs,
    next_at: nextAt,
    last_chain_id: lastChainId,
    last_skipped_at: lastSkippedAt,
    skipped,
    created_at: createdAt,
  }
}

function scheduleOf(row: Row): Schedule {
  return {
    ...(JSON.parse(row.request) as ScheduledChain),
    id: row.id,
    everyMs: row.every_ms,
    nextAt: row.next_at,
    lastChainId: row.last_chain_id,
    skipped: row.skipped,
    lastSkippedAt: row.last_skipped_at,
    createdAt: row.created_at,
  }
}
