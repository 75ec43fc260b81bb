// Brings a database to the present version. A migration's place in the list is its number, and nobody edits it.
import { type Database, type Dialect, write } from './dialect.ts'
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
]

/** Each step commits together with its number, so the next start continues a killed migration. */
export async function migrate(database: Database, migrations = MIGRATIONS): Promise<void> {
  for (const [index, statements] of migrations.entries()) {
    await write(database, async tx => {
      await lockName(tx, 'migration:schema')
      // Reads the version again under the lock: another process may have been faster.
      if ((await tx.dialect.version(tx)) > index) return
      for (const statement of statements(tx.dialect)) await tx.execute(raw(statement))
      await tx.dialect.setVersion(tx, index + 1)
    })
  }
}
