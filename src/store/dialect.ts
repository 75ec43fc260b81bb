// Where databases differ, by name; everything else in this folder is the same SQL for all of them.
import type { Kysely, RawBuilder } from 'kysely'
import type { RunsTable, Schema } from './schema.ts'

export type Dialect = {
  readonly name: string
  /** The database's own clock in whole milliseconds. Leases use no other. */
  readonly now: RawBuilder<number>
  /** Column type of a primary key that grows by itself and is never given twice. */
  readonly growingKey: string
  /** Rows must be locked when read before they are written; where a writer is alone anyway, they need not. */
  readonly locksRows: boolean
  /** Case-insensitive pattern match. */
  readonly like: 'like' | 'ilike'
  /** UTC date (`2026-01-31`) of a column of milliseconds. */
  dayOf(column: keyof RunsTable): RawBuilder<string>
  /** A text field of a column that holds a JSON object, as SQL; null where there is none. */
  textIn(column: keyof RunsTable, field: string): string
  version(db: Kysely<Schema>): Promise<number>
  setVersion(db: Kysely<Schema>, version: number): Promise<void>
  /** What the database itself finds wrong with its pages and references. */
  damages(db: Kysely<Schema>): Promise<readonly string[]>
}

/** A connection or a transaction, and what its database can do. */
export type Sql = { readonly db: Kysely<Schema>; readonly dialect: Dialect }

/** All or nothing, alone among writers from its first statement on. */
export function write<T>({ db, dialect }: Sql, work: (tx: Sql) => Promise<T>): Promise<T> {
  return db.transaction().execute(tx => work({ db: tx, dialect }))
}

/** Several statements that see one moment of the store. */
export function read<T>({ db, dialect }: Sql, work: (tx: Sql) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setAccessMode('read only')
    .execute(tx => work({ db: tx, dialect }))
}
