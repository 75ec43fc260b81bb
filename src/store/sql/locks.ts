// What a transaction locks before it decides by what it reads. On SQLite only one writer is at work, and these do nothing.
// A transaction locks names in the order of `LockName`, and rows last: otherwise two transactions could wait for each other.
import type { Sql } from './dialect.ts'
import { sql } from './statement.ts'

export type LockName = `${'request' | 'thread' | 'session' | 'entry' | 'work'}:${string}`

/** Also of what has no row yet. */
export function lockName(tx: Sql, name: LockName): Promise<void> {
  return tx.dialect.lockNames(tx, sql`select ${name} as name`)
}

/** Everything about a thread is decided one after another: its queue, its branch, its runs, its questions, its chain. */
export function lockThread(tx: Sql, threadId: string): Promise<void> {
  return lockName(tx, `thread:${threadId}`)
}

export function lockThreadOfRun(tx: Sql, runId: string): Promise<void> {
  return tx.dialect.lockNames(
    tx,
    sql`select 'thread:' || thread_id as name from runs where id = ${runId}`,
  )
}

export function lockThreadOfChain(tx: Sql, chainId: string): Promise<void> {
  return tx.dialect.lockNames(
    tx,
    sql`select 'thread:' || thread_id as name from chains where id = ${chainId}`,
  )
}
