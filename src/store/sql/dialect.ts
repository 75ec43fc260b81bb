// Names what differs between databases; everything else in this folder is the same SQL for all of them.
import type { EventRow, RunRow } from './schema.ts'
import type { Statement } from './statement.ts'

export type Dialect = {
  readonly name: string
  /** Whether processes of several hosts can use the database. */
  readonly reach: 'one-host' | 'hosts'
  /** The database's own clock in whole milliseconds. Leases use no other. */
  readonly now: Statement<number>
  /** Column type of a primary key that grows by itself and is never used twice. */
  readonly growingKey: string
  /** Column type of bytes. */
  readonly bytes: string
  /** Stands after the columns of a table and keeps its rows in the primary key; '' where a table cannot say that. */
  readonly keyed: string
  /** Locks these names until the transaction ends. Called through `locks.ts`. */
  lockNames(tx: Sql, names: Statement<{ name: string }>): Promise<void>
  /** Stands after a select whose rows are written next: locks them until the transaction ends. */
  readonly lockRows: Statement
  /** Case-insensitive pattern match. */
  readonly like: 'like' | 'ilike'
  /** UTC date (`2026-01-31`) of a column of milliseconds, as SQL. */
  dayOf(column: keyof RunRow): string
  /** A text field of a column that holds a JSON object, as SQL; `a.b` is a field inside another. Null when it is missing. */
  textIn(column: keyof RunRow | keyof EventRow, field: string): string
  version(tx: Sql): Promise<number>
  setVersion(tx: Sql, version: number): Promise<void>
  /** The errors that the database itself finds in its pages and references. */
  damages(tx: Sql): Promise<readonly string[]>
}

export type QueryResult<Row> = {
  readonly rows: readonly Row[]
  /** How many rows were inserted, updated or deleted. */
  readonly changes: number
}

/** A connection or a transaction, and what its database can do. */
export type Sql = {
  readonly dialect: Dialect
  execute<Row>(statement: Statement<Row>): Promise<QueryResult<Row>>
  /**
   * Writes rows whose positions must grow in the order of commits: a reader that has seen a position never misses a lower
   * one. Where writers run beside each other, this waits for the end of the transaction, and only one of them writes at a time.
   */
  atEnd(write: () => Promise<void>): Promise<void>
}

export type Database = Sql & {
  /**
   * All or nothing. All statements of a reader see one moment. A writer sees what others have committed and excludes others
   * only from the rows and names that it has locked. SQLite runs writers one after another; other databases may not.
   */
  transaction<T>(access: 'read' | 'write', work: (tx: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** All or nothing. */
export function write<T>(database: Database, work: (tx: Sql) => Promise<T>): Promise<T> {
  return database.transaction('write', work)
}

/** Several statements that see one moment of the store. */
export function read<T>(database: Database, work: (tx: Sql) => Promise<T>): Promise<T> {
  return database.transaction('read', work)
}
