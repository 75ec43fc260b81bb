// What a transaction locks before it reads and decides. SQLite runs only one writer at a time, so there these do nothing.
// A transaction locks names in the order of `LockName`, and rows last: otherwise two transactions could wait for each other.
import type { Sql } from './dialect.ts'
import { sql } from './statement.ts'

export type LockName =
  `${'migration' | 'request' | 'thread' | 'session' | 'entry' | 'work' | 'vault'}:${string}`

/** Also locks the name of something that has no row yet. */
export function lockName(tx: Sql, name: LockName): Promise<void> {
  return tx.dialect.lockNames(tx, sql`select ${name} as name`)
}

/** Transactions about one thread run one after another: its queue, branch, runs, questions and chain. */
export function lockThread(tx: Sql, threadId: string): Promise<void> {
  return lockName(tx, `thread:${threadId}`)
}

export function lockThreadOfRun(tx: Sql, runId: string): Promise<void> {
  return tx.dialect.lockNames(
    tx,
    sql`select 'thread:' || thread_id as name from runs where id = ${runId}`,
  )
}

export function lockThreadOfJob(tx: Sql, jobId: string): Promise<void> {
  return tx.dialect.lockNames(
    tx,
    sql`select 'thread:' || thread_id as name from jobs where id = ${jobId}`,
  )
}

export function lockThreadOfChain(tx: Sql, chainId: string): Promise<void> {
  return tx.dialect.lockNames(
    tx,
    sql`select 'thread:' || thread_id as name from chains where id = ${chainId}`,
  )
}
