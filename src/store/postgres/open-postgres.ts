// Opens a store in a PostgreSQL database: connects, makes or upgrades the schema, and refuses what it cannot work with.
import type { Presence, StoreWithWork } from '../contract/store.ts'
import { type Database, write } from '../sql/dialect.ts'
import { lockName } from '../sql/locks.ts'
import { firstOf } from '../sql/plain-sql.ts'
import { raw, sql } from '../sql/statement.ts'
import { STORE_VERSION, UNFINISHED_COPY } from '../sql/version.ts'
import { sqlStore } from '../sql-store.ts'
import { sqlPieces } from '../verbs/threads/pieces.ts'
import { connectTo } from './connect.ts'
import { examine, type PostgresReport } from './examine-database.ts'
import { postgresDatabase } from './postgres-connection.ts'
import { SCHEMA } from './postgres-dialect.ts'
import { postgresError } from './postgres-errors.ts'
import type { PostgresOptions } from './postgres-options.ts'
import { workDatabase } from './work-database.ts'

/** Opens the store, or says in our words why it cannot be opened. A database that is away is not waited for. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<StoreWithWork> {
  const connection = connectTo(url, options)
  const database = postgresDatabase(connection)
  try {
    const { version } = await examine(postgresDatabase({ ...connection, awayMs: 0 }))
    if (version !== STORE_VERSION) await upgrade(url)
    const work = workDatabase(url, options)
    const store = sqlStore(database)
    const presence: Presence = {
      awaySince: () => connection.contact.awaySince(),
      waiting: patience => ({
        ...sqlStore(postgresDatabase({ ...connection, patience })),
        presence,
      }),
    }
    return {
      ...store,
      listen: wake => connection.listener.listen(() => wake()),
      presence,
      pieces: sqlPieces(database),
      workDatabase: work.open,
      async close() {
        await work.close()
        await store.close()
      },
    }
  } catch (error) {
    await database.close()
    throw postgresError(error, connection.place)
  }
}

/** The store and the tables below it, on one connection. `unfinished`: also a store whose copy was broken off. */
export async function openPostgresTables(url: string, expected: 'whole' | 'unfinished') {
  const connection = connectTo(url, { awayMs: 0, connections: 1, statementMs: 0 })
  const database = postgresDatabase(connection)
  try {
    const isUnfinished =
      expected === 'unfinished' && (await versionOf(database)) === UNFINISHED_COPY
    if (!isUnfinished && (await examine(database)).version !== STORE_VERSION) await upgrade(url)
    return { database, store: sqlStore(database), pieces: sqlPieces(database) }
  } catch (error) {
    await database.close()
    throw postgresError(error, connection.place)
  }
}

async function versionOf(database: Database): Promise<number | null> {
  const table = `${SCHEMA}.store_version`
  const made = await firstOf(
    database,
    sql<{ name: string | null }>`select to_regclass(${table})::text as name`,
  )
  return made?.name == null ? null : database.dialect.version(database)
}

/** Looks at a database and changes nothing. Throws what would keep the store from being opened. */
export async function inspectPostgres(url: string): Promise<PostgresReport> {
  const connection = connectTo(url, { awayMs: 0, connections: 1 })
  const database = postgresDatabase(connection)
  try {
    return await examine(database)
  } catch (error) {
    throw postgresError(error, connection.place)
  } finally {
    await database.close()
  }
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
