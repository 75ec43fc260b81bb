// Copies a whole store between SQLite and PostgreSQL, checks that both are equal, and goes on after a copy that was broken off.
import { RepriseError } from '../errors.ts'
import { type Database, write } from '../store/sql/dialect.ts'
import { storeTables, type Table } from './catalogue.ts'
import { hashTables } from './content-hash.ts'
import { copyPieces, hashPieces } from './copy-pieces.ts'
import { copyGrowingKeys } from './growing-keys.ts'
import { refuseInUse, refuseOthers } from './in-use.ts'
import { beginCopy, copiedUpTo, finishCopy, isUnfinished, noteCopied } from './progress.ts'
import {
  isSameStore,
  type OpenTables,
  openTables,
  refuseMissing,
  type StorePlace,
} from './store-place.ts'
import { countRows, insertPage, keyOfRow, pagesOf } from './table-rows.ts'

export type CopyProgress = {
  readonly step: 'verify' | 'copy' | 'sessions' | 'compare'
  readonly done: number
  readonly total: number
}

export type CopyReport = {
  readonly from: string
  readonly to: string
  /** True when an earlier copy was continued. */
  readonly resumed: boolean
  readonly tables: number
  readonly rows: number
  /** Of session copies and objects. */
  readonly pieces: number
  /** Pieces that were damaged before, and were left out. */
  readonly damagedPieces: number
  /** Of all rows; the same for both stores. */
  readonly contentHash: string
}

export type CopyOrder = {
  readonly from: StorePlace
  readonly to: StorePlace
  readonly onProgress: (progress: CopyProgress) => void
}

export async function copyWholeStore({ from, to, onProgress }: CopyOrder): Promise<CopyReport> {
  refuseMissing(from)
  if (isSameStore(from, to)) {
    const hint = 'Name another data directory or database to copy to.'
    throw new RepriseError('bad-input', 'both are the same store', hint)
  }
  const source = await openTables(from, 'whole')
  try {
    await refuseInUse(source.database, from.shown)
    await refuseBroken(source, from.shown, onProgress)
    const target = await openTables(to, 'unfinished')
    try {
      const copied = await copyInto(source, target, { from, to, onProgress })
      return { from: from.shown, to: to.shown, ...copied }
    } finally {
      await target.database.close()
    }
  } finally {
    await source.database.close()
  }
}

type Copied = Omit<CopyReport, 'from' | 'to'>

async function copyInto(
  source: OpenTables,
  target: OpenTables,
  { from, to, onProgress }: CopyOrder,
): Promise<Copied> {
  const tables = await storeTables()
  const resumed = await isUnfinished(target.database)
  await refuseOthers(target.database, to.shown)
  if (!resumed) {
    await refuseFull(target, tables, to.shown)
    await beginCopy(target.database)
  }
  const rows = await copyTables(source.database, target.database, { tables, onProgress }).catch(
    (error: unknown) => {
      throw doesNotFit(error) ? changed(from.shown, to.shown) : error
    },
  )
  await copyGrowingKeys(source.database, target.database, tables)
  const show = (done: number) => onProgress({ step: 'sessions', done, total: done })
  const pieces = await copyPieces(source, target.pieces, show)
  const contentHash = await compare(source, target, { tables, rows, onProgress })
  if (contentHash === null || (await hashPieces(target.pieces)) !== pieces.hash)
    throw changed(from.shown, to.shown)
  await refuseInUse(source.database, from.shown)
  await refuseBroken(target, to.shown, onProgress)
  await finishCopy(target.database)
  return {
    ...{ resumed, tables: tables.length, rows, contentHash },
    ...{ pieces: pieces.pieces, damagedPieces: pieces.damaged },
  }
}

type Work = { readonly tables: readonly Table[]; readonly onProgress: CopyOrder['onProgress'] }

/** Gives how many rows there are. */
async function copyTables(
  from: Database,
  to: Database,
  { tables, onProgress }: Work,
): Promise<number> {
  let total = 0
  for (const table of tables) total += await countRows(from, table)
  let done = 0
  for (const table of tables) {
    const after = await copiedUpTo(to, table.name)
    if (after !== null) done += await countRows(to, table)
    for await (const rows of pagesOf(from, table, after)) {
      await write(to, async tx => {
        await insertPage(tx, table, rows)
        await noteCopied(tx, table.name, keyOfRow(table, rows.at(-1) ?? {}))
      })
      done += rows.length
      onProgress({ step: 'copy', done, total })
    }
  }
  return total
}

/** Reads all rows of both again. `null` when they differ. */
async function compare(
  source: OpenTables,
  target: OpenTables,
  { tables, rows, onProgress }: Work & { readonly rows: number },
): Promise<string | null> {
  let done = 0
  const show = (count: number) => {
    done += count
    onProgress({ step: 'compare', done, total: 2 * rows })
  }
  const ours = await hashTables(source.database, tables, show)
  return ours === (await hashTables(target.database, tables, show)) ? ours : null
}

async function refuseBroken(
  { store }: OpenTables,
  shown: string,
  onProgress: CopyOrder['onProgress'],
): Promise<void> {
  const violations = await store.verify({
    onProgress: step => onProgress({ step: 'verify', ...step }),
  })
  if (violations.length === 0) return
  throw new RepriseError(
    'store-unusable',
    `${shown} breaks ${violations.length} of its promises`,
    'Run `reprise verify` on it, and restore an earlier backup (docs/backup.md).',
  )
}

async function refuseFull(
  { database, pieces }: OpenTables,
  tables: readonly Table[],
  shown: string,
): Promise<void> {
  for (const table of tables) {
    const rows = await countRows(database, table)
    if (rows > 0) throw full(shown, `${rows} rows in ${table.name}`)
  }
  for await (const _ of pieces.all()) throw full(shown, 'copies of session files')
}

function full(shown: string, what: string): RepriseError {
  const hint = 'Name an empty directory or a new database (`createdb`): nothing is replaced.'
  return new RepriseError('conflict', `${shown} is not empty: it has ${what}`, hint)
}

/** A row that belongs to one that was not copied, or one that is there already. */
function doesNotFit(error: unknown): boolean {
  return error instanceof RepriseError && (error.code === 'not-found' || error.code === 'conflict')
}

function changed(from: string, to: string): RepriseError {
  return new RepriseError(
    'conflict',
    `${from} changed while it was copied, or ${to} holds a part of another copy`,
    `Stop everything that uses ${from}, remove the store at ${to}, and copy again.`,
  )
}
