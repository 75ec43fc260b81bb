// Brings a database to the present version. A migration's place in the list is its number, and nobody edits it.
import { type Database, type Dialect, type Sql, write } from './dialect.ts'
import { lockName } from './locks.ts'
import { tables } from './migrations/001-tables.ts'
import { feedAndKeys } from './migrations/002-feed-and-keys.ts'
import { questions } from './migrations/003-questions.ts'
import { chains } from './migrations/004-chains.ts'
import { jobs } from './migrations/005-jobs.ts'
import { jobSchedules } from './migrations/006-job-schedules.ts'
import { recurrence } from './migrations/007-recurrence.ts'
import { turnLimits } from './migrations/008-turn-limits.ts'
import { keyedTables } from './migrations/009-keyed-tables.ts'
import { trustAndSandbox } from './migrations/010-trust-and-sandbox.ts'
import { knownEnd } from './migrations/011-known-end.ts'
import { threadInstructions } from './migrations/012-thread-instructions.ts'
import { checkpointPlaces } from './migrations/013-checkpoint-places.ts'
import { startOfRun } from './migrations/014-start-of-run.ts'
import { toldAgain } from './migrations/015-told-again.ts'
import { sentPrompts } from './migrations/016-sent-prompts.ts'
import { changes } from './migrations/017-changes.ts'
import { permissionRules } from './migrations/018-permission-rules.ts'
import { lanes } from './migrations/019-lanes.ts'
import { workspaces } from './migrations/020-workspaces.ts'
import { vaultPieces } from './migrations/021-vault-pieces.ts'
import { workersTable } from './migrations/022-workers.ts'
import { traceContext } from './migrations/023-trace-context.ts'
import { sessionEvidence } from './migrations/024-session-evidence.ts'
import { processOfRun } from './migrations/025-process-of-run.ts'
import { importedThreads } from './migrations/026-imported-threads.ts'
import { estimates } from './migrations/027-estimates.ts'
import { carryOfThreads } from './migrations/028-carry-of-threads.ts'
import { raw } from './statement.ts'

/** The statements of one step, in order. A step happens as a whole or not at all. */
export type Migration = (dialect: Dialect) => readonly string[]

export const MIGRATIONS: readonly Migration[] = [
  tables,
  feedAndKeys,
  questions,
  chains,
  jobs,
  jobSchedules,
  recurrence,
  turnLimits,
  keyedTables,
  trustAndSandbox,
  knownEnd,
  threadInstructions,
  checkpointPlaces,
  startOfRun,
  toldAgain,
  sentPrompts,
  changes,
  permissionRules,
  lanes,
  workspaces,
  vaultPieces,
  workersTable,
  traceContext,
  sessionEvidence,
  processOfRun,
  importedThreads,
  estimates,
  carryOfThreads,
]

/**
 * Makes a new store in one transaction, which waits for the disk once. In an older store each step commits together with its
 * number, so the next start continues a killed migration.
 */
export async function migrate(database: Database, migrations = MIGRATIONS): Promise<void> {
  const isMade = await underLock(database, async (tx, version) => {
    if (version > 0) return false
    for (const index of migrations.keys()) await takeStep(tx, migrations, index)
    return true
  })
  if (isMade) return
  for (const index of migrations.keys()) {
    await underLock(database, async (tx, version) => {
      if (version <= index) await takeStep(tx, migrations, index)
    })
  }
}

/** Reads the version under the lock: another process may have been faster. */
function underLock<T>(
  database: Database,
  work: (tx: Sql, version: number) => Promise<T>,
): Promise<T> {
  return write(database, async tx => {
    await lockName(tx, 'migration:schema')
    return work(tx, await tx.dialect.version(tx))
  })
}

async function takeStep(tx: Sql, migrations: readonly Migration[], index: number): Promise<void> {
  const statements = migrations[index]?.(tx.dialect) ?? []
  for (const statement of statements) await tx.execute(raw(statement))
  await tx.dialect.setVersion(tx, index + 1)
}
