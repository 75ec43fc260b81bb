// Stores schedules of chains, and lets only one process take each cycle.
import type { ChainRecord } from '../../../core/chain/chain.ts'
import type { Schedule, ScheduledChain } from '../../../core/chain/schedule.ts'
import type { ScheduleVerbs } from '../../contract/schedules.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { firstOf, insertRows, rowsOf } from '../../sql/plain-sql.ts'
import { sql } from '../../sql/statement.ts'
import type { ScheduleRow } from '../../sql/work-rows.ts'
import { noteChange } from '../runs/changes.ts'
import { now as databaseNow } from '../runs/leases.ts'
import { openTransaction } from './open-transaction.ts'

export function scheduleVerbs(database: Database): ScheduleVerbs {
  return {
    createSchedule: (schedule, enlist) =>
      write(database, async tx => {
        await insertRows(tx, { table: 'schedules' }, [rowOf(schedule)])
        await enlist(openTransaction(tx))
        await noteSchedule(tx, schedule.id, schedule.createdAt)
      }),

    async schedule(id) {
      const row = await firstOf(
        database,
        sql<ScheduleRow>`
          select *
          from schedules
          where id = ${id}
        `,
      )
      return row === undefined ? null : scheduleOf(row)
    },

    async schedules() {
      const rows = await rowsOf(
        database,
        sql<ScheduleRow>`
          select *
          from schedules
          order by created_at, id
        `,
      )
      return rows.map(scheduleOf)
    },

    removeSchedule: id =>
      write(database, async tx => {
        const { changes } = await tx.execute(sql`delete from schedules where id = ${id}`)
        if (changes > 0) await noteSchedule(tx, id, await databaseNow(tx))
        return changes > 0
      }),

    takeCycle: (due, taken) => write(database, tx => takeCycle(tx, due, taken)),
  }
}

async function takeCycle(
  tx: Sql,
  { id, nextAt: dueAt }: Pick<Schedule, 'id' | 'nextAt'>,
  { nextAt, now }: { readonly nextAt: number; readonly now: number },
): ReturnType<ScheduleVerbs['takeCycle']> {
  // A chain of the schedule that starts now waits for this row (`noteStarted`), so it cannot come between.
  await firstOf(tx, sql`select id from schedules where id = ${id} ${tx.dialect.lockRows}`)
  const running = await firstOf(
    tx,
    sql<{ id: string }>`
      select id
      from chains
      where schedule_id = ${id}
      and status = 'running'
      limit 1
    `,
  )
  const isBusy = running !== undefined
  const { changes } = await tx.execute(sql`
    update schedules
    set next_at = ${nextAt},
      skipped = skipped + ${isBusy ? 1 : 0},
      last_skipped_at = ${isBusy ? now : sql`last_skipped_at`}
    where id = ${id}
    and next_at = ${dueAt}
  `)
  if (changes !== 1) return null
  await noteSchedule(tx, id, now)
  return { isBusy }
}

/** Called in the transaction that starts a chain of the schedule. */
export async function noteStarted(
  tx: Sql,
  scheduleId: string,
  chain: Pick<ChainRecord, 'id' | 'createdAt'>,
): Promise<void> {
  const { changes } = await tx.execute(sql`
    update schedules
    set last_chain_id = ${chain.id}
    where id = ${scheduleId}
  `)
  if (changes > 0) await noteSchedule(tx, scheduleId, chain.createdAt)
}

function noteSchedule(tx: Sql, id: string, at: number): Promise<void> {
  return noteChange(tx, { kind: 'schedule', id, at })
}

function rowOf({ id, recurrence, nextAt, lastChainId, ...rest }: Schedule): ScheduleRow {
  const { skipped, lastSkippedAt, createdAt, ...request } = rest
  return {
    id,
    policy_name: request.policy.name,
    request: JSON.stringify(request),
    recurrence: JSON.stringify(recurrence),
    next_at: nextAt,
    last_chain_id: lastChainId,
    last_skipped_at: lastSkippedAt,
    skipped,
    created_at: createdAt,
  }
}

/** Schedules of earlier versions know no hosts and no repositories. */
const AS_BEFORE = { workspace: null, host: null, sharedRoot: null }

function scheduleOf(row: ScheduleRow): Schedule {
  return {
    ...AS_BEFORE,
    ...(JSON.parse(row.request) as ScheduledChain),
    id: row.id,
    recurrence: JSON.parse(row.recurrence) as Schedule['recurrence'],
    nextAt: row.next_at,
    lastChainId: row.last_chain_id,
    skipped: row.skipped,
    lastSkippedAt: row.last_skipped_at,
    createdAt: row.created_at,
  }
}
