// I8: a request that is repeated with its key is not done again. The key is stored with what it did, in one transaction.
import { RepriseError } from '../errors.ts'
import type { Sql } from './dialect.ts'
import type { KeptAnswer, RequestKey, Store } from './store.ts'

/** Longer than any client goes on trying. */
const KEEP_MS = 7 * 24 * 3_600_000

export function requestKeyVerbs(database: Sql): Pick<Store, 'answerTo'> {
  return { answerTo: key => answerTo(database, key) }
}

/** Throws `conflict` when the key belongs to another request. */
export async function answerTo(
  { db }: Sql,
  { key, request }: Pick<RequestKey, 'key' | 'request'>,
): Promise<KeptAnswer | null> {
  const row = await db
    .selectFrom('request_keys')
    .selectAll()
    .where('key', '=', key)
    .executeTakeFirst()
  if (row === undefined) return null
  if (row.request !== request) throw usedOtherwise()
  return { threadId: row.thread_id, runId: row.run_id, messageId: row.message_id, note: row.note }
}

export async function keepAnswer(
  tx: Sql,
  { key, request, note }: RequestKey,
  did: Omit<KeptAnswer, 'note'> & { readonly at: number },
): Promise<void> {
  await tx.db
    .deleteFrom('request_keys')
    .where('created_at', '<', did.at - KEEP_MS)
    .execute()
  await tx.db
    .insertInto('request_keys')
    .values({
      key,
      request,
      note,
      thread_id: did.threadId,
      run_id: did.runId,
      message_id: did.messageId,
      created_at: did.at,
    })
    .execute()
}

function usedOtherwise(): RepriseError {
  return new RepriseError(
    'conflict',
    'this idempotency key was used for another request',
    'Take a new key for every request; repeat one only with the same path and body.',
  )
}
