// Looks at a database before it is used, changes nothing, and says in clear words why it cannot hold a store.
import { RepriseError } from '../../errors.ts'
import type { Database } from '../sql/dialect.ts'
import { firstOf } from '../sql/plain-sql.ts'
import { sql } from '../sql/statement.ts'
import { refuseNewer } from '../sql/version.ts'
import { POSTGRES, SCHEMA } from './postgres-dialect.ts'

/** The oldest version that its makers still maintained when this was written. */
const OLDEST_SERVER = 14

export type PostgresReport = {
  /** The version of the server. */
  readonly server: string
  /** Of the store in it; `null`: there is none yet. */
  readonly version: number | null
}

type Found = {
  readonly server: number
  readonly shown: string
  readonly user: string
  readonly path: string
  readonly read_only: string
  readonly may_use: boolean
  readonly may_make: boolean
  readonly may_write: boolean
  readonly has_version: boolean
  readonly tables: number
}

/** Throws what would keep the store from being opened. */
export async function examine(database: Database): Promise<PostgresReport> {
  const found = await firstOf(database, FOUND)
  // A select without a table always gives its row.
  const server = found?.shown ?? 'unknown'
  refuseOldServer(found?.server ?? 0, server)
  if (found?.path !== SCHEMA) throw losesSettings()
  if (found.read_only === 'on') throw onlyReads()
  if (!found.may_use) throw ofAnotherUser()
  if (!found.may_write) throw mayNotWrite(found.user)
  if (!found.has_version) {
    if (found.tables) throw ofAnotherProgram()
    if (!found.may_make) throw mayNotMake(found.user)
    return { server, version: null }
  }
  const version = await POSTGRES.version(database)
  refuseNewer(version, 'use another database')
  return { server, version }
}

const FOUND = sql<Found>`
  select
    current_setting('server_version_num')::integer as server,
    current_setting('server_version') as shown,
    quote_ident(current_user) as user,
    current_setting('search_path') as path,
    current_setting('transaction_read_only') as read_only,
    coalesce(has_schema_privilege(to_regnamespace(${SCHEMA})::oid, 'usage'), true) as may_use,
    coalesce(
      has_schema_privilege(to_regnamespace(${SCHEMA})::oid, 'create'),
      has_database_privilege(current_database(), 'create')
    ) as may_make,
    coalesce(has_table_privilege(to_regclass('threads')::oid, 'insert'), true) as may_write,
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

export function refuseOldServer(versionNumber: number, shown: string): void {
  if (Math.floor(versionNumber / 10_000) >= OLDEST_SERVER) return
  throw new RepriseError(
    'store-unusable',
    `the server is PostgreSQL ${shown}, and Reprise needs ${OLDEST_SERVER} or newer`,
    'Upgrade the server, or use another one in REPRISE_DATABASE_URL.',
  )
}

/** Without our search path, names could stand for tables of others. */
function losesSettings(): RepriseError {
  return new RepriseError(
    'store-unusable',
    'the connection lost the settings that Reprise made for it: a connection pooler in transaction mode may be in between',
    'Connect to the server itself, or to a pooler in session mode that passes on `options`.',
  )
}

function onlyReads(): RepriseError {
  return new RepriseError(
    'store-unusable',
    'the database only allows reading',
    'Connect to the primary server, not to a copy of it, as a user without `default_transaction_read_only`.',
  )
}

function ofAnotherUser(): RepriseError {
  return new RepriseError(
    'store-unusable',
    `the user of the database lacks a right: the schema \`${SCHEMA}\` belongs to another user`,
    'Connect as that user, or use another database: `createdb reprise`.',
  )
}

function mayNotMake(user: string): RepriseError {
  return new RepriseError(
    'store-unusable',
    'the user of the database lacks a right: it may not make the tables of Reprise',
    `let an administrator run \`create schema "reprise" authorization ${user}\` in this database, and the same for \`reprise_work\``,
  )
}

function mayNotWrite(user: string): RepriseError {
  return new RepriseError(
    'store-unusable',
    `the user of the database lacks a right: ${user} may only read the tables of Reprise`,
    `Connect as the user that owns the schema \`${SCHEMA}\`, or use another database: \`createdb reprise\`.`,
  )
}

function ofAnotherProgram(): RepriseError {
  return new RepriseError(
    'store-unusable',
    `the schema \`${SCHEMA}\` of this database belongs to another program`,
    'Use a database of its own for Reprise: `createdb reprise`.',
  )
}
