// Leases: who may run on a thread or a session. A token that only grows fences off whoever lost one.
import { RepriseError } from '../errors.ts'
import { type Sql, write } from './dialect.ts'
import { ownerText } from './rows.ts'
import type { Lease, Store } from './store.ts'

export const threadResource = (threadId: string) => `thread:${threadId}`
export const sessionResource = (session: { agent: string; sessionId: string }) =>
  `session:${session.agent}:${session.sessionId}`

type Taking = {
  readonly resource: string
  readonly runId: string
  readonly owner: string
  readonly until: number
}

export function leaseVerbs(database: Sql): Pick<Store, 'renewLease' | 'releaseLease'> {
  return {
    renewLease: (lease, leaseMs) =>
      write(database, async tx => {
        const held = await leaseOn(tx, threadResource(lease.threadId))
        const runId = held?.run_id ?? ''
        await fence(tx, lease, runId)
        await tx.db
          .updateTable('leases')
          .set({ until: (await now(tx)) + leaseMs })
          .where('run_id', '=', runId)
          .execute()
        const run = await tx.db
          .selectFrom('runs')
          .select('cancel_requested')
          .where('id', '=', runId)
          .executeTakeFirst()
        return { cancelRequested: run?.cancel_requested === 1 }
      }),

    // Giving back what is already lost changes nothing and is no error.
    releaseLease: lease =>
      write(database, async tx => {
        const held = await leaseOn(tx, threadResource(lease.threadId))
        if (held?.token !== lease.token || held.run_id === null) return
        await freeLeasesOf(tx, held.run_id)
      }),
  }
}

/** Throws `lease-lost` unless the lease is still the latest one and for this run. */
export async function fence(tx: Sql, lease: Lease, runId: string): Promise<void> {
  const held = await leaseOn(tx, threadResource(lease.threadId))
  if (held?.token === lease.token && held.run_id === runId) return
  throw new RepriseError(
    'lease-lost',
    `run ${runId} no longer holds thread ${lease.threadId}: ${loss(held, lease)}`,
    'look at the run: it was ended or taken over by another process',
  )
}

function loss(held: { token: number } | undefined, lease: Lease): string {
  if (held === undefined) return 'there is no such lease'
  if (held.token !== lease.token) return 'another process has taken it over'
  return 'it was released or handed to another run'
}

export function leaseOn(tx: Sql, resource: string) {
  return tx.db
    .selectFrom('leases')
    .selectAll()
    .where('resource', '=', resource)
    .$if(tx.dialect.locksRows, query => query.forUpdate())
    .executeTakeFirst()
}

/** Whoever held it before is fenced off from now on. */
export async function takeLease(tx: Sql, { resource, runId, owner, until }: Taking) {
  const { token } = await tx.db
    .insertInto('leases')
    .values({ resource, token: 1, run_id: runId, owner, until })
    .onConflict(conflict =>
      conflict.column('resource').doUpdateSet(eb => ({
        token: eb('leases.token', '+', 1),
        run_id: runId,
        owner,
        until,
      })),
    )
    .returning('token')
    .executeTakeFirstOrThrow()
  return token
}

/** A session is held until the run on it has ended, however late its lease: its process may still live. */
export async function takeSession(
  tx: Sql,
  lease: Lease,
  taking: { readonly runId: string; readonly session: { agent: string; sessionId: string } },
): Promise<void> {
  const { runId, session } = taking
  const resource = sessionResource(session)
  const held = await leaseOn(tx, resource)
  if (held !== undefined && held.run_id !== null && held.run_id !== runId) {
    throw new RepriseError(
      'busy',
      `run ${held.run_id} is going on session ${session.sessionId}`,
      'wait until that run has ended, or cancel it',
    )
  }
  if (held?.run_id === runId) return
  const thread = await leaseOn(tx, threadResource(lease.threadId))
  const until = thread?.until ?? 0
  await takeLease(tx, { resource, runId, owner: ownerText(lease.owner), until })
}

/** All that a run holds: its thread and its sessions. The rows stay, for their tokens. */
export async function freeLeasesOf(tx: Sql, runId: string): Promise<void> {
  await tx.db
    .updateTable('leases')
    .set({ run_id: null, owner: null, until: 0 })
    .where('run_id', '=', runId)
    .execute()
}

/** The thread stays held, for the next run of the same turn; the sessions of the old one become free. */
export async function handOverLease(tx: Sql, lease: Lease, runs: { from: string; to: string }) {
  const resource = threadResource(lease.threadId)
  await tx.db
    .updateTable('leases')
    .set({ run_id: runs.to })
    .where('resource', '=', resource)
    .execute()
  await freeLeasesOf(tx, runs.from)
}

export async function now(tx: Sql): Promise<number> {
  const { at } = await tx.db.selectNoFrom(tx.dialect.now.as('at')).executeTakeFirstOrThrow()
  return at
}
