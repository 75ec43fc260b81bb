// After a crash: lists open runs and takes over those whose owner is dead.

import { OPEN_STATUSES } from '../../../core/run/run.ts'
import type { Lease, Owner } from '../../contract/leases.ts'
import type { OrphanCandidate, RecoveryVerbs } from '../../contract/queue.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { lockThreadOfRun } from '../../sql/locks.ts'
import { rowsOf, updateRow } from '../../sql/plain-sql.ts'
import { ownerOf, ownerText, runOf } from '../../sql/rows.ts'
import type { RunRow } from '../../sql/schema.ts'
import { join, sql } from '../../sql/statement.ts'
import { now, takeLease, threadResource } from './leases.ts'
import { PROCESS } from './queue-presence.ts'
import { runRow } from './runs.ts'

export function recoveryVerbs(database: Database): RecoveryVerbs {
  return {
    openRuns: () => openRuns(database),
    takeOver: (runId, dead, owner, leaseMs) =>
      write(database, tx => takeOver(tx, runId, { dead, owner, leaseMs })),
  }
}

async function openRuns(database: Sql): Promise<readonly OrphanCandidate[]> {
  // A parked run waits for an answer without a process, so it is not an orphan.
  const rows = await rowsOf(
    database,
    sql<RunRow & { lease_until: number | null; now: number }>`
      select
        runs.*,
        coalesce(leases.until, waiting.until) as lease_until,
        ${database.dialect.now} as now
      from runs
      left join leases on leases.run_id = runs.id and leases.resource = 'thread:' || runs.thread_id
      left join leases as waiting
      on runs.status = 'queued'
      and waiting.resource = ${PROCESS} || runs.owner
      where runs.status in (${join(OPEN_STATUSES)})
      and (runs.status <> 'waiting' or leases.run_id is not null)
      order by runs.place, runs.seq
    `,
  )
  return rows.map(row => {
    // Nobody has claimed a queued run without one, and its process is on the only host or of an earlier version.
    const until = row.lease_until ?? (row.status === 'queued' ? Number.POSITIVE_INFINITY : 0)
    return { run: runOf(row), owner: ownerOf(row.owner), expired: until <= row.now }
  })
}

type TakingOver = { readonly dead: Owner; readonly owner: Owner; readonly leaseMs: number }

/** The owner may only have been asleep: with the new token taken, it can write nothing. */
async function takeOver(
  tx: Sql,
  runId: string,
  { dead, owner, leaseMs }: TakingOver,
): Promise<Lease | null> {
  await lockThreadOfRun(tx, runId)
  const run = await runRow(tx, runId)
  if (run === undefined || run.thread_id === null || run.status === 'queued') return null
  if (!OPEN_STATUSES.some(status => status === run.status) || run.owner !== ownerText(dead))
    return null
  const until = (await now(tx)) + leaseMs
  const resource = threadResource(run.thread_id)
  const taker = ownerText(owner)
  const token = await takeLease(tx, { resource, runId, owner: taker, until })
  await tx.execute(sql`
    update leases
    set owner = ${taker}, until = ${until}
    where run_id = ${runId}
  `)
  await updateRow(tx, { table: 'runs', id: runId }, { owner: taker })
  return { threadId: run.thread_id, token, owner }
}
