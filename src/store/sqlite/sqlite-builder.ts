// Kysely on our own connection: it builds the SQL, and we run it.
import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { QueryResult } from '../sql/dialect.ts'
import type { Schema } from '../sql/schema.ts'

/** Runs SQL text with its values. */
export type Ask = (text: string, values: readonly unknown[]) => Promise<QueryResult<unknown>>

export function sqliteBuilder(ask: Ask): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driverOf(ask),
      createIntrospector: db => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

function driverOf(ask: Ask): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) {
      const { rows, changes } = await ask(sql, parameters)
      return { rows: rows as Row[], numAffectedRows: BigInt(changes) }
    },
    streamQuery: () => ours('Streams'),
  }
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: () => ours('Transactions'),
    commitTransaction: () => ours('Transactions'),
    rollbackTransaction: () => ours('Transactions'),
    destroy: async () => {},
  }
}

function ours(what: string): never {
  throw new TypeError(`${what} are the store's own, not the builder's`)
}
