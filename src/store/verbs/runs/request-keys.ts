// Keeps a request that is repeated with its key from being done twice. One transaction stores the key and its effect.

import type { RequestKey, StoredRequest } from '../../../core/run/request-key.ts'
import { RepriseError } from '../../../errors.ts'
import type { RunVerbs } from '../../contract/runs.ts'
import type { Database, Sql } from '../../sql/dialect.ts'
import { lockName } from '../../sql/locks.ts'
import { firstOf, insertRows } from '../../sql/plain-sql.ts'
import type { RequestKeyRow } from '../../sql/schema.ts'
import { sql } from '../../sql/statement.ts'

/** Longer than any client retries. */
const KEEP_MS = 7 * 24 * 3_600_000

export function requestKeyVerbs(database: Database): Pick<RunVerbs, 'findRequest'> {
  return { findRequest: key => findRequest(database, key) }
}

/** Called in the transaction that carries out the request: nobody else uses the key before it ends. */
export async function claimKey(tx: Sql, key: RequestKey): Promise<StoredRequest | null> {
  await lockName(tx, `request:${key.key}`)
  return findRequest(tx, key)
}

/** Throws `conflict` when the key belongs to another request. */
async function findRequest(
  tx: Sql,
  { key, request }: Pick<RequestKey, 'key' | 'request'>,
): Promise<StoredRequest | null> {
  const row = await firstOf(
    tx,
    sql<RequestKeyRow>`
      select *
      from request_keys
      where key = ${key}
    `,
  )
  if (row === undefined) return null
  if (row.request !== request) throw usedOtherwise()
  return { threadId: row.thread_id, runId: row.run_id, messageId: row.message_id, note: row.note }
}

export async function keepAnswer(
  tx: Sql,
  { key, request, note }: RequestKey,
  did: Omit<StoredRequest, 'note'> & { readonly at: number },
): Promise<void> {
  await tx.execute(sql`delete from request_keys where created_at < ${did.at - KEEP_MS}`)
  await insertRows(tx, { table: 'request_keys' }, [
    {
      key,
      request,
      note,
      thread_id: did.threadId,
      run_id: did.runId,
      message_id: did.messageId,
      created_at: did.at,
    },
  ])
}

function usedOtherwise(): RepriseError {
  return new RepriseError(
    'conflict',
    'this idempotency key was used for another request',
    'Take a new key for every request; repeat one only with the same path and body.',
  )
}
