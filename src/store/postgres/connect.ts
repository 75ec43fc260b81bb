// How this process connects to a PostgreSQL database: its limits, its types, its pool of connections.
import pg from 'pg'
import { Contact } from './contact.ts'
import { Listener } from './listener.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { SCHEMA } from './postgres-dialect.ts'
import type { PostgresOptions } from './postgres-options.ts'
import { connectionString, placeOfUrl } from './postgres-url.ts'
import { fromStored } from './stored-text.ts'

const CONNECTIONS = 10
const AWAY_MS = 10_000
const STATEMENT_MS = 60_000
const CONNECT_MS = 30_000
const IDLE_MS = 30_000
/** A process that was stopped in the middle of a transaction must not lock out the others. */
const IDLE_IN_TRANSACTION_MS = 30_000

/**
 * A connection on which nothing passes any more must not stop the others for ever. It is longer than PostgreSQL lets a stopped host
 * hold the lock of the feed, so that the writers of this process still come one by one after that.
 */
const FEED_PATIENCE_MS = 15_000

export function connectTo(url: string, options: PostgresOptions) {
  const place = placeOfUrl(url)
  const config = settings(url, options)
  const pool = new pg.Pool({
    ...config,
    max: options.connections ?? CONNECTIONS,
    idleTimeoutMillis: IDLE_MS,
    // A store that somebody forgot to close must not keep the process alive.
    allowExitOnIdle: true,
  })
  // An idle connection that breaks is no error of anybody: the pool makes another one.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  const listener = new Listener(() => new pg.Client(config), SCHEMA)
  const { awayMs = AWAY_MS } = options
  const contact = new Contact()
  const feed = new OneAtATime(FEED_PATIENCE_MS)
  return { pool, listener, place, awayMs, contact, feed, onClose: async () => listener.close() }
}

export function settings(
  url: string,
  { statementMs = STATEMENT_MS }: PostgresOptions,
): pg.ClientConfig {
  return {
    connectionString: connectionString(url),
    application_name: 'reprise',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    // Longer than the server's own limit: it counts only when the server says nothing at all.
    ...(statementMs > 0 && { query_timeout: statementMs + 10_000 }),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    types: { getTypeParser },
  }
}

/** Numbers of 64 bits and sums are numbers here, as in SQLite: none of ours is too large for that. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number
  if (oid === pg.types.builtins.TEXT) return fromStored
  return format === 'binary'
    ? pg.types.getTypeParser(oid, 'binary')
    : pg.types.getTypeParser(oid, 'text')
}
