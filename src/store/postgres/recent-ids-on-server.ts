// Reads the newest ids of a store in PostgreSQL, for a shell that completes them. A Tab does not wait for a slow network.
import { Client } from 'pg'
import { type IdKind, newestIds, type RecentId } from '../sql/recent-ids.ts'
import { connectionString } from './postgres-url.ts'

const PATIENCE_MS = 500

/** Throws when the database does not answer quickly, or holds no store. */
export async function recentIdsOnServer(
  url: string,
  kind: IdKind,
  prefix: string,
): Promise<readonly RecentId[]> {
  const client = new Client({
    connectionString: connectionString(url),
    application_name: 'reprise completion',
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    statement_timeout: PATIENCE_MS,
  })
  // The first error is the one that counts.
  client.on('error', () => {})
  try {
    await client.connect()
    const { texts, values } = newestIds(kind, prefix)
    const text = texts.reduce((before, after, index) => `${before}$${index}${after}`)
    return (await client.query<RecentId>(text, [...values])).rows
  } finally {
    // Does not wait for the server to say goodbye.
    void client.end().catch(() => {})
  }
}
