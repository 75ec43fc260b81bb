// Opens the store that the arguments of a program name: a file, or the URL of a database.
import { flushCompileCache } from 'node:module'
import { isPostgresUrl } from '../../../src/core/database-url.ts'
import type { PieceStore } from '../../../src/store/contract/pieces.ts'
import type { StoreWithWork } from '../../../src/store/contract/store.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { sqlite } from '../../../src/store/sqlite/sqlite.ts'
import { filePieces } from '../../../src/vault/file-pieces.ts'

// A killed program stores no compiled code for the next one, so it is stored now.
flushCompileCache()

export function openStore(place: string): Promise<StoreWithWork> {
  return (isPostgresUrl(place) ? postgres(place) : sqlite(place))()
}

/** The pieces of a database, or those in a data directory. */
export async function openPieces(place: string): Promise<PieceStore> {
  if (!isPostgresUrl(place)) return filePieces(place)
  const { pieces } = await openStore(place)
  if (!pieces) throw new Error('a store in PostgreSQL keeps pieces')
  return pieces
}
