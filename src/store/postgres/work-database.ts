// Connections for an engine that keeps its work in the same database. They are apart from those of the store, so that neither
// waits for a connection of the other: work is enlisted while a transaction of the store is open.
import pg from 'pg'
import type { WorkDatabase } from '../contract/work.ts'
import { write } from '../sql/dialect.ts'
import { runSql } from '../sql/run-sql.ts'
import { connectTo, settings } from './connect.ts'
import { Listener } from './listener.ts'
import { postgresDatabase } from './postgres-connection.ts'
import type { PostgresOptions } from './postgres-options.ts'

const CONNECTIONS = 4

/** `open` connects when the first statement runs, and gives the same database each time. */
export function workDatabase(url: string, options: PostgresOptions) {
  const listeners = new Map<string, Listener>()
  let opened: { readonly work: WorkDatabase; close(): Promise<void> } | null = null
  const connect = () => {
    const database = postgresDatabase(connectTo(url, { ...options, connections: CONNECTIONS }))
    const listen: WorkDatabase['listen'] = (channel, listener) => {
      const known = listeners.get(channel)
      const on = known ?? new Listener(() => new pg.Client(settings(url, options)), channel)
      listeners.set(channel, on)
      return on.listen(listener)
    }
    const work: WorkDatabase = {
      run: runSql(database),
      transaction: act => write(database, tx => act(runSql(tx))),
      listen,
    }
    return { work, close: () => database.close() }
  }
  return {
    open: () => {
      opened ??= connect()
      return opened.work
    },
    async close(): Promise<void> {
      for (const listener of listeners.values()) listener.close()
      await opened?.close()
    },
  }
}
