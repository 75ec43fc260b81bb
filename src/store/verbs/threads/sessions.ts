// Sessions: pointers to the agents' own conversations, with the messages that each has seen.

import type { RetiredBecause, Seen, Session } from '../../../core/conversation/session.ts'
import { RepriseError } from '../../../errors.ts'
import type { RunEnd } from '../../contract/runs.ts'
import type { NewSession, SessionChange, SessionVerbs } from '../../contract/sessions.ts'
import { inChunks } from '../../sql/chunks.ts'
import { type Database, read, type Sql } from '../../sql/dialect.ts'
import {
  allOf,
  equal,
  firstOf,
  insertRows,
  notBefore,
  rowsOf,
  updateRow,
} from '../../sql/plain-sql.ts'
import { bit, jsonColumn, sessionOf } from '../../sql/rows.ts'
import type { SeenRow, SessionRow } from '../../sql/schema.ts'
import { join, raw, sql } from '../../sql/statement.ts'

export function sessionVerbs(
  database: Database,
): Pick<SessionVerbs, 'sessions' | 'session' | 'listSessions' | 'sessionHolders'> {
  return {
    sessions: query => read(database, tx => findSessions(tx, query)),

    session: id => sessionById(database, id),

    listSessions: query => read(database, tx => newestSessions(tx, query)),

    sessionHolders: ids => holdersOf(database, ids),
  }
}

export function sessionById(database: Database, id: string): Promise<Session | null> {
  return read(database, async tx => {
    const row = await sessionRow(tx, id)
    const [session] = row === undefined ? [] : await withSeen(tx, [row])
    return session ?? null
  })
}

export async function findSessions(tx: Sql, query: Parameters<SessionVerbs['sessions']>[0]) {
  const { threadId, agent, sessionId } = query
  const conditions = equal<'sessions'>({ thread_id: threadId, agent, session_id: sessionId })
  const rows = await rowsOf(
    tx,
    sql<SessionRow>`
      select *
      from sessions
      where ${allOf(conditions)}
      order by created_at, id
    `,
  )
  return withSeen(tx, rows)
}

async function newestSessions(tx: Sql, query: Parameters<SessionVerbs['listSessions']>[0]) {
  const { threadId, agent, since, cursor, limit } = query
  const conditions = [
    ...equal<'sessions'>({ thread_id: threadId, agent }),
    ...notBefore('last_message_at', since),
  ]
  if (cursor !== undefined) {
    conditions.push(
      sql`(created_at, id) < (select last.created_at, last.id from sessions as last where last.id = ${cursor})`,
    )
  }
  const rows = await rowsOf(
    tx,
    sql<SessionRow>`
      select *
      from sessions
      where ${allOf(conditions)}
      order by created_at desc, id desc
      limit ${limit}
    `,
  )
  return withSeen(tx, rows)
}

async function withSeen(tx: Sql, rows: readonly SessionRow[]): Promise<readonly Session[]> {
  if (rows.length === 0) return []
  const seen = await rowsOf(
    tx,
    sql<SeenRow>`
      select *
      from session_seen
      where session in (${join(rows.map(row => row.id))})
      order by session, position
    `,
  )
  const bySession = Map.groupBy(seen, entry => entry.session)
  return rows.map(row => {
    const entries = bySession.get(row.id) ?? []
    return sessionOf(
      row,
      entries.map(({ hash, anchor, is_part }) => ({ hash, anchor, isPart: is_part === 1 })),
    )
  })
}

/** The SQL makes the same name as `sessionResource`. */
async function holdersOf(
  database: Sql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const held = await rowsOf(
    database,
    sql<{ id: string; run_id: string }>`
      select sessions.id, leases.run_id
      from sessions
      join leases on leases.resource = 'session:' || sessions.agent || ':' || sessions.session_id
      where sessions.id in (${join(ids)})
      and leases.run_id is not null
    `,
  )
  return new Map(held.map(({ id, run_id }) => [id, run_id]))
}

/** Stores a session as announced. A known session stays as it is. */
export async function createSession(tx: Sql, session: NewSession, at: number): Promise<void> {
  const otherwise = sql`on conflict (session_id, agent) do nothing`
  const created = await insertRows(tx, { table: 'sessions', otherwise }, [
    {
      id: session.id,
      session_id: session.sessionId,
      thread_id: session.threadId,
      agent: session.agent,
      pointer: 'announced',
      state: 'created',
      retired_because: null,
      confirmed_at: null,
      evidence: null,
      work_dir: session.workDir,
      model: session.model,
      runtime: session.runtime,
      forked_from: session.forkedFrom,
      instructions_hash: session.instructionsHash,
      known_end: session.knownEnd,
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
    },
  ])
  if (created > 0) await appendSeen(tx, session.id, session.seen)
}

export async function sessionRowOf(tx: Sql, id: string, lock = raw('')): Promise<SessionRow> {
  const row = await sessionRow(tx, id, lock)
  if (row !== undefined) return row
  throw new RepriseError(
    'not-found',
    `there is no session ${id}`,
    'Run `reprise sessions` to see their ids.',
  )
}

function sessionRow(tx: Sql, id: string, lock = raw('')): Promise<SessionRow | undefined> {
  return firstOf(
    tx,
    sql<SessionRow>`
      select *
      from sessions
      where id = ${id}
      ${lock}
    `,
  )
}

/** Changes only the named fields; a retired session stays retired. */
export async function changeSession(tx: Sql, change: SessionChange, end: RunEnd): Promise<void> {
  const row = await sessionRowOf(tx, change.id, tx.dialect.lockRows)
  const isRetired = row.pointer === 'retired'
  const retire = !isRetired && change.retire !== null
  const confirm = change.evidence !== null && !isRetired
  const said = change.seen.length > 0
  const { usage, endedAt } = end
  await updateRow(
    tx,
    { table: 'sessions', id: change.id },
    {
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
        evidence: change.evidence,
      }),
      ...(retire && { pointer: 'retired', retired_because: jsonColumn(change.retire) }),
      ...(said && { last_message_at: endedAt, turn_count: row.turn_count + 1 }),
      model: change.model,
      ...named({
        context_tokens: change.contextTokens,
        context_window: change.contextWindow,
        reported_cost_usd: change.reportedCostUsd,
        last_stop_reason: change.lastStopReason,
        known_end: change.knownEnd,
      }),
    },
  )
  await appendSeen(tx, change.id, change.seen)
}

function counted(count: number, how: 'count' | 'reset' | 'keep'): number {
  if (how === 'keep') return count
  return how === 'count' ? count + 1 : 0
}

/** Leaves out null values, so that they overwrite nothing. */
function named<T extends Record<string, unknown>>(
  values: T,
): { [K in keyof T]?: NonNullable<T[K]> } {
  const given = Object.entries(values).filter(([, value]) => value !== null)
  return Object.fromEntries(given) as { [K in keyof T]?: NonNullable<T[K]> }
}

export async function appendSeen(tx: Sql, session: string, seen: readonly Seen[]): Promise<void> {
  if (seen.length === 0) return
  const last = await firstOf(
    tx,
    sql<{ position: number }>`
      select position
      from session_seen
      where session = ${session}
      order by position desc
      limit 1
    `,
  )
  const from = (last?.position ?? -1) + 1
  const rows = seen.map(({ hash, anchor, isPart }, index) => ({
    session,
    position: from + index,
    hash,
    anchor,
    is_part: bit(isPart),
  }))
  for (const some of inChunks(rows)) await insertRows(tx, { table: 'session_seen' }, some)
}

const LEFT_ASKING: RetiredBecause = { code: 'left-asking' }

/** A session that waits at a call would continue with the call, whatever the next prompt says. */
export async function retireAsking(
  tx: Sql,
  session: { readonly id: string } | Pick<SessionRow, 'agent' | 'session_id'>,
): Promise<void> {
  const isIt =
    'id' in session
      ? sql`id = ${session.id}`
      : sql`session_id = ${session.session_id} and agent = ${session.agent}`
  await tx.execute(sql`
    update sessions
    set pointer = 'retired', retired_because = ${jsonColumn(LEFT_ASKING)}
    where pointer <> 'retired'
    and ${isIt}
  `)
}
