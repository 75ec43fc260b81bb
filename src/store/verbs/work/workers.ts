// The processes that work on jobs. A worker that is killed leaves a row, which counts as gone after its last beat and is removed later.
import type { StoredWorker, WorkerBeat, WorkerVerbs } from '../../contract/workers.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { firstOf, insertRows, rowsOf } from '../../sql/plain-sql.ts'
import { bit } from '../../sql/rows.ts'
import { sql } from '../../sql/statement.ts'
import type { WorkerRow } from '../../sql/work-rows.ts'
import { noteChange } from '../runs/changes.ts'
import { now } from '../runs/leases.ts'

/** So long `reprise workers` shows a worker that is gone. */
const KEPT_MS = 10 * 60_000

export function workerVerbs(database: Database): WorkerVerbs {
  return {
    beatWorker: (worker, aliveMs) =>
      write(database, async tx => {
        const at = await now(tx)
        const known = await firstOf(
          tx,
          sql<WorkerRow>`
            select *
            from workers
            where id = ${worker.id}
          `,
        )
        const row = rowOf(worker, { started_at: known?.started_at ?? at, at, aliveMs })
        await replace(tx, row)
        await collect(tx, at)
        // A beat that says nothing new must not wake those who follow the store.
        if (!known || known.active !== row.active || known.draining !== row.draining)
          await noteChange(tx, { kind: 'worker', id: worker.host, at })
      }),

    removeWorker: id =>
      write(database, async tx => {
        const gone = await firstOf(
          tx,
          sql<Pick<WorkerRow, 'host'>>`
            delete from workers
            where id = ${id}
            returning host
          `,
        )
        if (gone) await noteChange(tx, { kind: 'worker', id: gone.host, at: await now(tx) })
      }),

    async workers() {
      const rows = await rowsOf(
        database,
        sql<WorkerRow & { readonly now: number }>`
          select workers.*, ${database.dialect.now} as now
          from workers
          order by host, started_at, id
        `,
      )
      return rows.map(row => workerOf(row, row.now))
    },
  }
}

/** No other process writes this row, so it needs no lock. */
async function replace(tx: Sql, row: WorkerRow): Promise<void> {
  const otherwise = sql`
    on conflict (id) do update set
      active = excluded.active,
      concurrency = excluded.concurrency,
      draining = excluded.draining,
      beat_at = excluded.beat_at,
      gone_at = excluded.gone_at
  `
  await insertRows(tx, { table: 'workers', otherwise }, [row])
}

async function collect(tx: Sql, at: number): Promise<void> {
  await tx.execute(sql`
    delete from workers
    where gone_at < ${at - KEPT_MS}
  `)
}

type Beaten = { readonly started_at: number; readonly at: number; readonly aliveMs: number }

function rowOf(worker: WorkerBeat, { started_at, at, aliveMs }: Beaten): WorkerRow {
  return {
    id: worker.id,
    host: worker.host,
    pid: worker.pid,
    start_time: worker.startTime,
    version: worker.version,
    labels: JSON.stringify(worker.labels),
    shared_roots: JSON.stringify(worker.sharedRoots),
    concurrency: worker.concurrency,
    active: worker.active,
    agents: JSON.stringify(worker.agents),
    draining: bit(worker.draining),
    started_at,
    beat_at: at,
    gone_at: at + aliveMs,
  }
}

function workerOf(row: WorkerRow, now: number): StoredWorker {
  return {
    id: row.id,
    host: row.host,
    pid: row.pid,
    startTime: row.start_time,
    version: row.version,
    labels: JSON.parse(row.labels) as string[],
    sharedRoots: JSON.parse(row.shared_roots) as string[],
    concurrency: row.concurrency,
    active: row.active,
    agents: JSON.parse(row.agents) as string[],
    startedAt: row.started_at,
    beatAt: row.beat_at,
    state: row.gone_at <= now ? 'gone' : row.draining === 1 ? 'draining' : 'working',
  }
}
