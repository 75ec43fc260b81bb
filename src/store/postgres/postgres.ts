// Keeps a store in a PostgreSQL database. The driver is loaded when the store is opened, so that users of SQLite never load it.
import type { OpenStore } from '../contract/store.ts'
import type { PostgresOptions } from './postgres-options.ts'

/**
 * Keeps the store in the schema `reprise` of a PostgreSQL database (version 14 or newer), for any number of processes on any
 * number of machines. The URL says how to connect, such as `postgres://user:password@host/database?sslmode=verify-full`.
 *
 * @example
 * ```ts
 * const store = postgres('postgres://reprise@db.example/reprise')
 * const local = createReprise({ store, agents: [claudeCode()] })
 * ```
 */
export function postgres(url: string, options: PostgresOptions = {}): OpenStore {
  return async () => {
    const { openPostgres } = await import('./open-postgres.ts')
    return openPostgres(url, options)
  }
}
