// Copies a store that others may be writing to: the copy is the store at one moment.
import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { RepriseError } from '../../errors.ts'
import { refuseNewer } from '../sql/version.ts'
import { storeError } from './sqlite-errors.ts'

export type CopyStep = { readonly done: number; readonly total: number }

/** How much is copied before the next step is shown. */
const PAGES_AT_ONCE = 2_000

/** The copy must not exist yet. The store itself is only read, and not brought up to date. Gives its version. */
export async function copyStore(
  from: string,
  to: string,
  onStep: (step: CopyStep) => void,
): Promise<number> {
  closeSync(openSync(to, 'wx', 0o600))
  const store = opened(from)
  try {
    const version = Number(store.pragma('user_version', { simple: true }))
    refuseNewer(version, 'back it up with the newer one')
    // While this transaction is open, writers go on, and every page is read as it was when it began.
    store.exec('begin')
    store.prepare('select count(*) from sqlite_master').get()
    await store.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onStep({ done: totalPages - remainingPages, total: totalPages })
        return PAGES_AT_ONCE
      },
    })
    refuseDamage(to)
    return version
  } catch (error) {
    throw storeError(error, to)
  } finally {
    store.close()
  }
}

function opened(file: string): Database.Database {
  try {
    return new Database(file, { readonly: true, fileMustExist: true })
  } catch (error) {
    throw storeError(error, file)
  }
}

function refuseDamage(copy: string): void {
  const database = new Database(copy)
  try {
    const found = database.pragma('integrity_check(3)', { simple: true })
    if (found === 'ok') return
    throw new RepriseError(
      'store-unusable',
      `the store is damaged, and so is its copy: ${found}`,
      'Run `reprise verify`; keep the file, and restore an earlier backup (docs/backup.md).',
    )
  } finally {
    database.close()
  }
}
