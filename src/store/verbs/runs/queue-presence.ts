// Says that a process lives whose turns wait in the queue: they hold no lease that could expire. Other hosts can only see this.
import type { Owner } from '../../contract/leases.ts'
import type { Sql } from '../../sql/dialect.ts'
import { ownerText } from '../../sql/rows.ts'
import { sql } from '../../sql/statement.ts'

/** A process says more often than this that it waits. */
export const WAITING_MS = 90_000
/** What a process said is kept for as long as a queued turn of it is there, and then for a while. */
const KEPT_MS = 10 * 60_000

/** The resource of a lease that stands for a process; `runs.owner` names it. */
export const PROCESS = 'process:'

export async function noteProcess(tx: Sql, owner: Owner, aliveMs: number): Promise<void> {
  const { now } = tx.dialect
  const text = ownerText(owner)
  await tx.execute(sql`
    insert into leases (resource, token, run_id, owner, until)
    values (${PROCESS + text}, 1, null, ${text}, ${now} + ${aliveMs})
    on conflict (resource) do update
    set until = excluded.until
  `)
  await tx.execute(sql`
    delete from leases
    where resource like ${`${PROCESS}%`}
    and until < ${now} - ${KEPT_MS}
    and not exists (
      select 1
      from runs
      where runs.status = 'queued'
      and runs.owner = leases.owner
    )
  `)
}
