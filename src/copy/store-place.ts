// A store that is copied from or to: the path of a data directory or file of SQLite, or the URL of a PostgreSQL database.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isPostgresUrl, readDatabaseUrl } from '../core/database-url.ts'
import { RepriseError } from '../errors.ts'
import type { PieceStore } from '../store/contract/pieces.ts'
import type { Store } from '../store/contract/store.ts'
import type { Database } from '../store/sql/dialect.ts'
import { filePieces } from '../vault/file-pieces.ts'

export type StorePlace =
  | { readonly kind: 'file'; readonly path: string; readonly home: string; readonly shown: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly shown: string }

/** The tables themselves, and the store on them. */
export type OpenTables = {
  readonly database: Database
  readonly store: Store
  readonly pieces: PieceStore
}

const FILE = 'reprise.db'

export function storePlace(text: string, cwd: string): StorePlace {
  if (isPostgresUrl(text)) {
    const read = readDatabaseUrl(text)
    if ('place' in read) return { kind: 'postgres', url: read.url, shown: read.place }
    const what = `the address of the database ${read.problem}`
    throw new RepriseError('bad-input', what, 'Write it as postgres://USER@HOST:PORT/DATABASE.')
  }
  if (text === '' || text.includes('://')) {
    const hint = 'Name a data directory, a SQLite file, or a postgres:// URL.'
    throw new RepriseError('bad-input', 'this is neither a path nor a postgres:// URL', hint)
  }
  const named = resolve(cwd, text)
  const isFile = /\.(?:db|sqlite)$/.test(named) || statSync(named, NO_THROW)?.isFile() === true
  const path = isFile ? named : join(named, FILE)
  return { kind: 'file', path, home: dirname(path), shown: path }
}

const NO_THROW = { throwIfNoEntry: false } as const

export function isSameStore(a: StorePlace, b: StorePlace): boolean {
  return identity(a) === identity(b)
}

function identity(place: StorePlace): string {
  if (place.kind === 'postgres') {
    const { hostname, port, pathname } = new URL(place.url)
    return `${hostname}:${port || '5432'}${pathname}`
  }
  return existsSync(place.path) ? realpathSync(place.path) : place.path
}

/** Refuses a store that is not there. */
export function refuseMissing(place: StorePlace): void {
  if (place.kind === 'postgres' || existsSync(place.path)) return
  const hint = `Name the directory that holds ${FILE}, or the file itself.`
  throw new RepriseError('not-found', `there is no store at ${place.shown}`, hint)
}

/** Opens the store as every verb does: makes it if it is new, upgrades it if it is older. */
export async function openTables(
  place: StorePlace,
  whole: 'whole' | 'unfinished',
): Promise<OpenTables> {
  if (place.kind === 'postgres') {
    const { openPostgresTables } = await import('../store/postgres/open-postgres.ts')
    return openPostgresTables(place.url, whole)
  }
  const { openSqlite } = await import('../store/sqlite/sqlite.ts')
  const opened = await openSqlite(place.path, {}, whole)
  return { ...opened, pieces: filePieces(place.home) }
}
