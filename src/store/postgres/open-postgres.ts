// Opens a store in a PostgreSQL database: connects, makes or upgrades the schema, and refuses what it cannot work with.
import pg from 'pg'
import { RepriseError } from '../../errors.ts'
import type { StoreWithWork } from '../contract/store.ts'
import { type Database, write } from '../sql/dialect.ts'
import { lockName } from '../sql/locks.ts'
import { firstOf } from '../sql/plain-sql.ts'
import { raw, sql } from '../sql/statement.ts'
import { refuseNewer, STORE_VERSION } from '../sql/version.ts'
import { sqlStore } from '../sql-store.ts'
import { Listener } from './listener.ts'
import { postgresDatabase } from './postgres-connection.ts'
import { POSTGRES, SCHEMA } from './postgres-dialect.ts'
import { postgresError } from './postgres-errors.ts'
import type { PostgresOptions } from './postgres-options.ts'
import { placeOfUrl } from './postgres-url.ts'
import { fromStored } from './stored-text.ts'

const CONNECTIONS = 10
const AWAY_MS = 10_000
const STATEMENT_MS = 60_000
const CONNECT_MS = 30_000
const IDLE_MS = 30_000
/** A process that was stopped in the middle of a transaction must not lock out the others. */
const IDLE_IN_TRANSACTION_MS = 30_000
/** The oldest version that its makers still maintained when this was written. */
const OLDEST_SERVER = 14

/** Opens the store, or says in our words why it cannot be opened. A database that is away is not waited for. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<StoreWithWork> {
  const connection = connectTo(url, options)
  const database = postgresDatabase(connection)
  try {
    const { version } = await look(postgresDatabase({ ...connection, awayMs: 0 }))
    if (version !== STORE_VERSION) await upgrade(url)
    return { ...sqlStore(database), listen: wake => connection.listener.listen(wake) }
  } catch (error) {
    await database.close()
    throw postgresError(error, connection.place)
  }
}

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
  const listener = new Listener(() => new pg.Client(config))
  const { awayMs = AWAY_MS } = options
  return { pool, listener, place, awayMs, onClose: async () => listener.close() }
}

function settings(url: string, { statementMs = STATEMENT_MS }: PostgresOptions): pg.ClientConfig {
  const own = new URL(url).searchParams.get('options')
  return {
    connectionString: url,
    application_name: 'reprise',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    // Longer than the server's own limit: it counts only when the server says nothing at all.
    ...(statementMs > 0 && { query_timeout: statementMs + 10_000 }),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // Names of others in the search path could stand for ours.
    options: `${own === null ? '' : `${own} `}-c search_path=${SCHEMA}`,
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

type Found = {
  readonly server: number
  readonly shown: string
  readonly has_version: boolean
  readonly tables: number
}

export type PostgresReport = {
  /** The version of the server. */
  readonly server: string
  /** Of the store in it; `null`: there is none yet. */
  readonly version: number | null
}

/** Looks at a database and changes nothing. Throws what would keep the store from being opened. */
export async function inspectPostgres(url: string): Promise<PostgresReport> {
  const connection = connectTo(url, { awayMs: 0, connections: 1 })
  const database = postgresDatabase(connection)
  try {
    return await look(database)
  } catch (error) {
    throw postgresError(error, connection.place)
  } finally {
    await database.close()
  }
}

async function look(database: Database): Promise<PostgresReport> {
  const found = await firstOf(database, FOUND)
  // A select without a table always gives its row.
  const server = found?.shown ?? 'unknown'
  refuseOldServer(found?.server ?? 0, server)
  if (!found?.has_version) {
    if (found?.tables) throw ofAnotherProgram()
    return { server, version: null }
  }
  const version = await POSTGRES.version(database)
  refuseNewer(version, 'use another database')
  return { server, version }
}

async function upgrade(url: string): Promise<void> {
  const database = await connectForUpgrade(url)
  try {
    await makeSchema(database)
    const { migrate } = await import('../sql/migrations.ts')
    await migrate(database)
  } finally {
    await database.close()
  }
}

const FOUND = sql<Found>`
  select
    current_setting('server_version_num')::integer as server,
    current_setting('server_version') as shown,
    exists (
      select 1
      from pg_class
      where relnamespace = to_regnamespace(${SCHEMA})
      and relname = 'store_version'
    ) as has_version,
    (
      select count(*)
      from pg_class
      where relnamespace = to_regnamespace(${SCHEMA})
    ) as tables
`

/** One connection without limits: to upgrade a large store, or to wait for a process that does, may take long. */
export async function connectForUpgrade(url: string): Promise<Database> {
  const unlimited = { statementMs: 0, awayMs: 0, connections: 1 }
  const database = postgresDatabase(connectTo(url, unlimited))
  // If this process is killed, the server must notice in the middle of a long statement and undo the step.
  await database.execute(raw(`set client_connection_check_interval = '1s'`)).catch(() => {
    // Only some systems of servers can do that. On others, the step is undone when its statement ends.
  })
  return database
}

/** Several processes may open a new store at once: only one of them makes the schema. */
function makeSchema(database: Database): Promise<void> {
  return write(database, async tx => {
    await lockName(tx, 'migration:schema')
    const known = await firstOf(
      tx,
      sql<{ id: string | null }>`select to_regnamespace(${SCHEMA})::text as id`,
    )
    // An administrator may have made the schema for a user who may not create one.
    if (known?.id == null) await tx.execute(raw(`create schema ${SCHEMA}`))
    const table = `${SCHEMA}.store_version`
    await tx.execute(raw(`create table if not exists ${table} (version integer not null)`))
    await tx.execute(raw(`insert into ${table} select 0 where not exists (select 1 from ${table})`))
  })
}

export function refuseOldServer(versionNumber: number, shown: string): void {
  if (Math.floor(versionNumber / 10_000) >= OLDEST_SERVER) return
  throw new RepriseError(
    'store-unusable',
    `the server is PostgreSQL ${shown}, and Reprise needs ${OLDEST_SERVER} or newer`,
    'Upgrade the server, or use another one in REPRISE_DATABASE_URL.',
  )
}

function ofAnotherProgram(): RepriseError {
  return new RepriseError(
    'store-unusable',
    `the schema \`${SCHEMA}\` of this database belongs to another program`,
    'Use a database of its own for Reprise: `createdb reprise`.',
  )
}
