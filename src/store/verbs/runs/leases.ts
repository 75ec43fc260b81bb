// Leases: which run may use a thread or a session. The token only grows, so a former holder can write nothing.

import { RepriseError } from '../../../errors.ts'
import type { Lease, LeaseVerbs } from '../../contract/leases.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { type LockName, lockName } from '../../sql/locks.ts'
import { firstOf } from '../../sql/plain-sql.ts'
import { ownerText } from '../../sql/rows.ts'
import type { LeaseRow } from '../../sql/schema.ts'
import { type Statement, sql } from '../../sql/statement.ts'

export const threadResource = (threadId: string) => `thread:${threadId}` as const
export const sessionResource = (session: { agent: string; sessionId: string }) =>
  `session:${session.agent}:${session.sessionId}` as const

type Taking = {
  readonly resource: string
  readonly runId: string
  readonly owner: string
  readonly until: number | Statement<number>
}

export function leaseVerbs(database: Database): LeaseVerbs {
  return {
    renewLease: (lease, leaseMs) =>
      write(database, async tx => {
        const held = await leaseOn(tx, threadResource(lease.threadId))
        const runId = held?.run_id ?? ''
        await requireLease(tx, lease, runId)
        await tx.execute(sql`
          update leases
          set until = ${tx.dialect.now} + ${leaseMs}
          where run_id = ${runId}
        `)
        const run = await firstOf(
          tx,
          sql<{ cancel_requested: number }>`
            select cancel_requested
            from runs
            where id = ${runId}
          `,
        )
        return { cancelRequested: run?.cancel_requested === 1 }
      }),

    // Releasing a lost lease changes nothing and does not throw.
    releaseLease: lease =>
      write(database, async tx => {
        const held = await leaseOn(tx, threadResource(lease.threadId))
        if (held?.token !== lease.token || held.run_id === null) return
        await freeLeasesOf(tx, held.run_id)
      }),
  }
}

/** Throws `lease-lost` unless the lease is still the latest one and for this run; gives it as it is stored. */
export async function requireLease(tx: Sql, lease: Lease, runId: string): Promise<LeaseRow> {
  return stillHeld(await leaseOn(tx, threadResource(lease.threadId)), lease, runId)
}

export function stillHeld(held: LeaseRow | undefined, lease: Lease, runId: string): LeaseRow {
  if (held?.token === lease.token && held.run_id === runId) return held
  throw new RepriseError(
    'lease-lost',
    `run ${runId} no longer holds thread ${lease.threadId}: ${loss(held, lease)}`,
    `Another process ended it or took it over: run \`reprise runs show ${runId}\`.`,
  )
}

/** Throws unless the lease still holds the thread, whichever run it is for. */
export async function requireThreadLease(tx: Sql, lease: Lease): Promise<void> {
  const held = await leaseOn(tx, threadResource(lease.threadId))
  await requireLease(tx, lease, held?.run_id ?? '')
}

function loss(held: { token: number } | undefined, lease: Lease): string {
  if (held === undefined) return 'there is no such lease'
  if (held.token !== lease.token) return 'another process has taken it over'
  return 'it was released or handed to another run'
}

/** Reads the lease for a write: nobody else takes or frees it before this transaction ends. */
export async function leaseOn(tx: Sql, resource: LockName): Promise<LeaseRow | undefined> {
  await lockName(tx, resource)
  return firstOf(
    tx,
    sql<LeaseRow>`
      select *
      from leases
      where resource = ${resource}
    `,
  )
}

/** The new token shuts out the former holder. */
export async function takeLease(tx: Sql, { resource, runId, owner, until }: Taking) {
  const taken = await firstOf(
    tx,
    sql<Pick<LeaseRow, 'token'>>`
      insert into leases (resource, token, run_id, owner, until)
      values (${resource}, 1, ${runId}, ${owner}, ${until})
      on conflict (resource) do update
      set
        token = leases.token + 1,
        run_id = excluded.run_id,
        owner = excluded.owner,
        until = excluded.until
      returning token
    `,
  )
  // An insert or an update always gives its row.
  return taken?.token ?? 0
}

/** A run holds its session until the run has ended, even if its lease is late: its process may still live. */
export async function takeSession(
  tx: Sql,
  lease: Lease,
  taking: {
    readonly runId: string
    readonly session: { agent: string; sessionId: string }
    /** As long as the lease on the thread. */
    readonly until: number
  },
): Promise<void> {
  const { runId, session, until } = taking
  const resource = sessionResource(session)
  const held = await leaseOn(tx, resource)
  if (held !== undefined && held.run_id !== null && held.run_id !== runId) {
    throw new RepriseError(
      'busy',
      `run ${held.run_id} is going on session ${session.sessionId}`,
      `Wait until it has ended, or cancel it: reprise runs cancel ${held.run_id}.`,
    )
  }
  if (held?.run_id === runId) return
  await takeLease(tx, { resource, runId, owner: ownerText(lease.owner), until })
}

/** Frees the thread and the sessions of a run. The rows stay, for their tokens. */
export async function freeLeasesOf(tx: Sql, runId: string): Promise<void> {
  await tx.execute(sql`
    update leases
    set run_id = null, owner = null, until = 0
    where run_id = ${runId}
  `)
}

/** Passes the thread to the next run of the same turn and frees the sessions of the old run. */
export async function handOverLease(tx: Sql, lease: Lease, runs: { from: string; to: string }) {
  const resource = threadResource(lease.threadId)
  await tx.execute(sql`
    update leases
    set run_id = ${runs.to}
    where resource = ${resource}
  `)
  await freeLeasesOf(tx, runs.from)
}

export async function now(tx: Sql): Promise<number> {
  const row = await firstOf(tx, sql<{ at: number }>`select ${tx.dialect.now} as at`)
  // A select without a table always gives its row.
  return row?.at ?? 0
}
