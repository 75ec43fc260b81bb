// Copies the pieces of the vault. A damaged piece is left out: where equal content is stored once, it would damage others.

import type { PiecePlace, PieceStore } from '../store/contract/pieces.ts'
import type { Database } from '../store/sql/dialect.ts'
import { rowsOf } from '../store/sql/plain-sql.ts'
import { sql } from '../store/sql/statement.ts'
import { unpack } from '../vault/pack.ts'
import { hidesId, safeName } from '../vault/safe-name.ts'
import { ContentHash } from './content-hash.ts'

export type CopiedPieces = {
  readonly pieces: number
  /** Pieces that were damaged before. */
  readonly damaged: number
  readonly hash: string
}

const MAX_BYTES = 1024 ** 3

export async function copyPieces(
  from: { readonly pieces: PieceStore; readonly database: Database },
  to: PieceStore,
  onPiece: (done: number) => void,
): Promise<CopiedPieces> {
  const content = new ContentHash()
  const hidden = await hiddenIds(from.database)
  let pieces = 0
  let damaged = 0
  for await (const { place, piece } of from.pieces.all()) {
    const found = (await from.pieces.read(place, [piece.name])).get(piece.name)
    // Removed meanwhile, as by a sweep.
    if (!found) continue
    if ((await unpack(found, MAX_BYTES)) === null) {
      damaged += 1
      continue
    }
    const target = withId(place, hidden)
    await to.write(target, piece.name, found)
    content.add([...identity(target), piece.name, found.digest])
    pieces += 1
    onPiece(pieces)
  }
  return { pieces, damaged, hash: content.hex }
}

export async function hashPieces(pieces: PieceStore): Promise<string> {
  const content = new ContentHash()
  for await (const { place, piece } of pieces.all()) {
    const found = (await pieces.read(place, [piece.name])).get(piece.name)
    if (found && (await unpack(found, MAX_BYTES)) !== null)
      content.add([...identity(place), piece.name, found.digest])
  }
  return content.hex
}

/** As a file would be named: the same for a place in files and in rows. */
function identity(place: PiecePlace): readonly string[] {
  return place.shelf === 'sessions'
    ? [place.shelf, safeName(place.agent), safeName(place.sessionId)]
    : [place.shelf, safeName(place.owner)]
}

/** By the name of its file: agents may choose ids that no file can have. */
async function hiddenIds(database: Database): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsOf(
    database,
    sql<{ id: string }>`select distinct agent as id from sessions
      union select session_id from sessions`,
  )
  return new Map(rows.filter(({ id }) => hidesId(safeName(id))).map(({ id }) => [safeName(id), id]))
}

function withId(place: PiecePlace, hidden: ReadonlyMap<string, string>): PiecePlace {
  if (place.shelf === 'objects') return place
  const named = (id: string) => (hidesId(id) ? (hidden.get(id) ?? id) : id)
  return { ...place, agent: named(place.agent), sessionId: named(place.sessionId) }
}
