// Sessions: pointers to the agents' own conversations, with what each has seen.
import { type Selectable, sql } from 'kysely'
import type { Seen, Session } from '../core/session.ts'
import { RepriseError } from '../errors.ts'
import { inChunks } from './chunks.ts'
import { read, type Sql } from './dialect.ts'
import { sessionResource } from './leases.ts'
import { bit, json, sessionOf } from './rows.ts'
import type { SessionsTable } from './schema.ts'
import type { NewSession, RunEnd, SessionChange, Store } from './store.ts'

type SessionRow = Selectable<SessionsTable>

export function sessionVerbs(
  database: Sql,
): Pick<Store, 'sessions' | 'session' | 'listSessions' | 'sessionHolders'> {
  return {
    sessions: query => read(database, tx => findSessions(tx, query)),

    session: id =>
      read(database, async tx => {
        const rows = await tx.db.selectFrom('sessions').selectAll().where('id', '=', id).execute()
        const [session] = await withSeen(tx, rows)
        return session ?? null
      }),

    listSessions: query => read(database, tx => newestSessions(tx, query)),

    sessionHolders: ids => read(database, tx => holdersOf(tx, ids)),
  }
}

async function findSessions(tx: Sql, query: Parameters<Store['sessions']>[0]) {
  const { threadId, agent, sessionId } = query
  let sessions = tx.db.selectFrom('sessions').selectAll().orderBy('created_at').orderBy('id')
  if (threadId !== undefined) sessions = sessions.where('thread_id', '=', threadId)
  if (agent !== undefined) sessions = sessions.where('agent', '=', agent)
  if (sessionId !== undefined) sessions = sessions.where('session_id', '=', sessionId)
  return withSeen(tx, await sessions.execute())
}

async function newestSessions(tx: Sql, query: Parameters<Store['listSessions']>[0]) {
  const { threadId, agent, cursor, limit } = query
  let sessions = tx.db
    .selectFrom('sessions')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (threadId !== undefined) sessions = sessions.where('thread_id', '=', threadId)
  if (agent !== undefined) sessions = sessions.where('agent', '=', agent)
  if (cursor !== undefined) {
    sessions = sessions.where(eb =>
      eb(
        eb.refTuple('created_at', 'id'),
        '<',
        eb
          .selectFrom('sessions as last')
          .select(['last.created_at', 'last.id'])
          .where('last.id', '=', cursor)
          .$asTuple('created_at', 'id'),
      ),
    )
  }
  return withSeen(tx, await sessions.execute())
}

async function withSeen(tx: Sql, rows: readonly SessionRow[]): Promise<readonly Session[]> {
  if (rows.length === 0) return []
  const seen = await tx.db
    .selectFrom('session_seen')
    .selectAll()
    .where(
      'session',
      'in',
      rows.map(row => row.id),
    )
    .orderBy('session')
    .orderBy('position')
    .execute()
  const bySession = Map.groupBy(seen, entry => entry.session)
  return rows.map(row => {
    const entries = bySession.get(row.id) ?? []
    return sessionOf(
      row,
      entries.map(({ hash, anchor, is_part }) => ({ hash, anchor, isPart: is_part === 1 })),
    )
  })
}

async function holdersOf(tx: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const sessions = await tx.db
    .selectFrom('sessions')
    .select(['id', 'agent', 'session_id as sessionId'])
    .where('id', 'in', ids)
    .execute()
  if (sessions.length === 0) return new Map()
  const leases = await tx.db
    .selectFrom('leases')
    .select(['resource', 'run_id'])
    .where('resource', 'in', sessions.map(sessionResource))
    .execute()
  const runs = new Map(leases.map(lease => [lease.resource, lease.run_id]))
  return new Map(
    sessions.flatMap(session => {
      const runId = runs.get(sessionResource(session)) ?? null
      return runId === null ? [] : [[session.id, runId]]
    }),
  )
}

/** Announced, never yet confirmed. One that is known stays as it is (C-3). */
export async function createSession(tx: Sql, session: NewSession, at: number): Promise<void> {
  const created = await tx.db
    .insertInto('sessions')
    .values({
      id: session.id,
      session_id: session.sessionId,
      thread_id: session.threadId,
      agent: session.agent,
      pointer: 'announced',
      state: 'created',
      retired_because: null,
      confirmed_at: null,
      work_dir: session.workDir,
      model: session.model,
      runtime: session.runtime,
      forked_from: session.forkedFrom,
      instructions_hash: session.instructionsHash,
      context_tokens: null,
      context_window: null,
      reported_cost_usd: 0,
      fruitless_resumes: 0,
      failed_resumes: 0,
      created_at: at,
      last_message_at: at,
      turn_count: 0,
      input_tokens: 0,
      output_tokens: 0,
      last_stop_reason: null,
    })
    .onConflict(conflict => conflict.columns(['session_id', 'agent']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (created !== undefined) await appendSeen(tx, session.id, session.seen)
}

export async function existingSession(tx: Sql, id: string): Promise<SessionRow> {
  const row = await tx.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst()
  if (row !== undefined) return row
  throw new RepriseError('not-found', `there is no session ${id}`, 'it may have been removed')
}

/** Only what the change names is touched; a retired session stays retired, whatever comes later (C-4). */
export async function changeSession(tx: Sql, change: SessionChange, end: RunEnd): Promise<void> {
  const row = await existingSession(tx, change.id)
  const isRetired = row.pointer === 'retired'
  const retire = !isRetired && change.retire !== null
  const confirm = change.confirm && !isRetired
  const said = change.seen.length > 0
  const { usage, endedAt } = end
  await tx.db
    .updateTable('sessions')
    .set({
      runtime: change.runtime,
      instructions_hash: change.instructionsHash,
      fruitless_resumes: counted(row.fruitless_resumes, change.fruitless),
      failed_resumes: counted(row.failed_resumes, change.failed),
      input_tokens: sql`input_tokens + ${usage.inputTokens}`,
      output_tokens: sql`output_tokens + ${usage.outputTokens}`,
      ...(confirm && {
        pointer: 'confirmed',
        state: 'active',
        confirmed_at: row.confirmed_at ?? endedAt,
      }),
      ...(retire && { pointer: 'retired', retired_because: json(change.retire) }),
      ...(said && { last_message_at: endedAt, turn_count: row.turn_count + 1 }),
      ...named({
        model: change.model,
        context_tokens: change.contextTokens,
        context_window: change.contextWindow,
        reported_cost_usd: change.reportedCostUsd,
        last_stop_reason: change.lastStopReason,
      }),
    })
    .where('id', '=', change.id)
    .execute()
  await appendSeen(tx, change.id, change.seen)
}

function counted(count: number, how: 'count' | 'reset' | 'keep'): number {
  if (how === 'keep') return count
  return how === 'count' ? count + 1 : 0
}

/** Leaves out what is null: nothing is overwritten by nothing. */
function named<T extends Record<string, unknown>>(
  values: T,
): { [K in keyof T]?: NonNullable<T[K]> } {
  const given = Object.entries(values).filter(([, value]) => value !== null)
  return Object.fromEntries(given) as { [K in keyof T]?: NonNullable<T[K]> }
}

async function appendSeen(tx: Sql, session: string, seen: readonly Seen[]): Promise<void> {
  if (seen.length === 0) return
  const last = await tx.db
    .selectFrom('session_seen')
    .select('position')
    .where('session', '=', session)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  const from = (last?.position ?? -1) + 1
  const rows = seen.map(({ hash, anchor, isPart }, index) => ({
    session,
    position: from + index,
    hash,
    anchor,
    is_part: bit(isPart),
  }))
  for (const some of inChunks(rows)) await tx.db.insertInto('session_seen').values(some).execute()
}
