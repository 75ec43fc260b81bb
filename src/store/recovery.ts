// After a crash: which runs are still open, and taking over those whose owner is dead.
import { OPEN_STATUSES } from '../core/run.ts'
import { read, type Sql, write } from './dialect.ts'
import { now, takeLease, threadResource } from './leases.ts'
import { ownerOf, ownerText, runOf } from './rows.ts'
import { runRow } from './runs.ts'
import type { Lease, OrphanCandidate, Owner, Store } from './store.ts'

export function recoveryVerbs(database: Sql): Pick<Store, 'openRuns' | 'takeOver'> {
  return {
    openRuns: () => read(database, openRuns),
    takeOver: (runId, dead, owner, leaseMs) =>
      write(database, tx => takeOver(tx, runId, { dead, owner, leaseMs })),
  }
}

async function openRuns(tx: Sql): Promise<readonly OrphanCandidate[]> {
  const rows = await tx.db
    .selectFrom('runs')
    .selectAll()
    .where('status', 'in', OPEN_STATUSES)
    .orderBy('seq')
    .execute()
  if (rows.length === 0) return []
  const leases = await tx.db
    .selectFrom('leases')
    .select(['run_id', 'until'])
    .where(
      'run_id',
      'in',
      rows.map(row => row.id),
    )
    .where('resource', 'like', 'thread:%')
    .execute()
  const untilOf = new Map(leases.map(lease => [lease.run_id, lease.until]))
  const at = await now(tx)
  return rows.map(row => {
    // A queued run that nobody claimed has nothing that could expire.
    const until = untilOf.get(row.id) ?? (row.status === 'queued' ? Number.POSITIVE_INFINITY : 0)
    return { run: runOf(row), owner: ownerOf(row.owner), expired: until <= at }
  })
}

type TakingOver = { readonly dead: Owner; readonly owner: Owner; readonly leaseMs: number }

/** The dead owner may only have been asleep: from the new token on it can write nothing. */
async function takeOver(
  tx: Sql,
  runId: string,
  { dead, owner, leaseMs }: TakingOver,
): Promise<Lease | null> {
  const run = await runRow(tx, runId)
  if (run === undefined || run.thread_id === null || run.status === 'queued') return null
  if (!OPEN_STATUSES.some(status => status === run.status) || run.owner !== ownerText(dead))
    return null
  const until = (await now(tx)) + leaseMs
  const resource = threadResource(run.thread_id)
  const taker = ownerText(owner)
  const token = await takeLease(tx, { resource, runId, owner: taker, until })
  await tx.db
    .updateTable('leases')
    .set({ owner: taker, until })
    .where('run_id', '=', runId)
    .execute()
  await tx.db.updateTable('runs').set({ owner: taker }).where('id', '=', runId).execute()
  return { threadId: run.thread_id, token, owner }
}
