// The pieces of the vault as rows.
import { RepriseError } from '../../../errors.ts'
import type {
  PackedPiece,
  PieceFence,
  PieceInfo,
  PiecePlace,
  PieceStore,
} from '../../contract/pieces.ts'
import { inChunks } from '../../sql/chunks.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { lockName } from '../../sql/locks.ts'
import { rowsOf } from '../../sql/plain-sql.ts'
import type { VaultPieceRow } from '../../sql/schema.ts'
import { join, type Statement, sql } from '../../sql/statement.ts'
import { leaseOn, threadResource } from '../runs/leases.ts'
import { pieceColumns, placeKey, placeOfPiece } from './piece-columns.ts'
import { dropContents, keepContent } from './piece-contents.ts'

/** How many pieces one statement reads, each with its bytes. */
const READ_AT_ONCE = 20
const PAGE = 500

export function sqlPieces(database: Database): PieceStore {
  return {
    isShared: true,
    names: place => names(database, place),
    list: place => list(database, place),
    read: (place, names) => read(database, place, names),
    write: (place, name, piece, { fence, instead = [] } = {}) =>
      write(database, async tx => {
        if (fence) await requireFence(tx, fence)
        await lockPlace(tx, place)
        const replaced = await digestsOf(tx, sql`${at(place)} and piece = ${name}`)
        await keepContent(tx, piece)
        await insertPiece(tx, { ...pieceColumns(place), piece: name, digest: piece.digest })
        await dropContents(tx, replaced)
        await dropNamed(tx, place, instead)
      }),
    drop: (place, names) =>
      write(database, async tx => {
        await lockPlace(tx, place)
        await dropNamed(tx, place, names)
      }),
    remove: place =>
      write(database, async tx => {
        await lockPlace(tx, place)
        await drop(tx, at(place))
      }),
    all: () => all(database),
  }
}

async function names(tx: Sql, place: PiecePlace): Promise<readonly string[]> {
  const rows = await rowsOf(
    tx,
    sql<{ piece: string }>`select piece from vault_pieces where ${at(place)}`,
  )
  return rows.map(({ piece }) => piece)
}

async function list(tx: Sql, place: PiecePlace): Promise<readonly PieceInfo[]> {
  return rowsOf(
    tx,
    sql<PieceInfo>`
      select vault_pieces.piece as name, vault_pieces.at, vault_contents.bytes
      from vault_pieces
      join vault_contents on vault_contents.digest = vault_pieces.digest
      where ${at(place)}
    `,
  )
}

type PartRow = { readonly piece: string; readonly digest: string; readonly packed: Uint8Array }

async function read(
  database: Database,
  place: PiecePlace,
  names: readonly string[],
): Promise<ReadonlyMap<string, PackedPiece>> {
  const parts: PartRow[] = []
  for (let from = 0; from < names.length; from += READ_AT_ONCE) {
    const some = names.slice(from, from + READ_AT_ONCE)
    const rows = await rowsOf(
      database,
      sql<PartRow>`
        select vault_pieces.piece, vault_pieces.digest, vault_parts.packed
        from vault_pieces
        join vault_parts on vault_parts.digest = vault_pieces.digest
        where ${at(place)}
        and vault_pieces.piece in (${join(some)})
        order by vault_pieces.piece, vault_parts.part
      `,
    )
    parts.push(...rows)
  }
  const byName = Map.groupBy(parts, ({ piece }) => piece)
  return new Map(
    [...byName].map(([name, rows]) => [
      name,
      { digest: rows[0]?.digest ?? '', packed: Buffer.concat(rows.map(row => row.packed)) },
    ]),
  )
}

async function insertPiece(tx: Sql, row: Omit<VaultPieceRow, 'at'>): Promise<void> {
  const { shelf, owner, name, piece, digest } = row
  await tx.execute(sql`
    insert into vault_pieces (shelf, owner, name, piece, digest, at)
    values (${shelf}, ${owner}, ${name}, ${piece}, ${digest}, ${tx.dialect.now})
    on conflict (shelf, owner, name, piece) do update
    set digest = excluded.digest, at = excluded.at
  `)
}

/** Nobody takes or frees the thread before this transaction ends. */
async function requireFence(tx: Sql, { threadId, token }: PieceFence): Promise<void> {
  const held = await leaseOn(tx, threadResource(threadId))
  const holder = held?.run_id ?? null
  if (token === null ? holder === null : held?.token === token && holder !== null) return
  throw new RepriseError(
    'lease-lost',
    `another process has taken over thread ${threadId}`,
    'Run `reprise runs` to see which run goes on.',
  )
}

async function dropNamed(tx: Sql, place: PiecePlace, names: readonly string[]): Promise<void> {
  for (const some of inChunks(names)) {
    await drop(tx, sql`${at(place)} and piece in (${join(some)})`)
  }
}

async function drop(tx: Sql, which: Statement): Promise<void> {
  const digests = await digestsOf(tx, which)
  await tx.execute(sql`delete from vault_pieces where ${which}`)
  await dropContents(tx, digests)
}

async function digestsOf(tx: Sql, which: Statement): Promise<readonly string[]> {
  const rows = await rowsOf(
    tx,
    sql<{ digest: string }>`select distinct digest from vault_pieces where ${which}`,
  )
  return rows.map(({ digest }) => digest)
}

type ListedRow = Omit<VaultPieceRow, 'digest'> & { readonly bytes: number }

async function* all(database: Database): ReturnType<PieceStore['all']> {
  let after = sql`true`
  for (;;) {
    const rows = await rowsOf(
      database,
      sql<ListedRow>`
        select shelf, owner, name, piece, at, bytes
        from vault_pieces
        join vault_contents on vault_contents.digest = vault_pieces.digest
        where ${after}
        order by shelf, owner, name, piece
        limit ${PAGE}
      `,
    )
    for (const { piece, at, bytes, ...columns } of rows) {
      yield { place: placeOfPiece(columns), piece: { name: piece, at, bytes } }
    }
    const last = rows.at(-1)
    if (last === undefined) return
    const { shelf, owner, name, piece } = last
    after = sql`(shelf, owner, name, piece) > (${shelf}, ${owner}, ${name}, ${piece})`
  }
}

function at(place: PiecePlace): Statement {
  const { shelf, owner, name } = pieceColumns(place)
  return sql`shelf = ${shelf} and owner = ${owner} and name = ${name}`
}

/** Writers and removers of one place come one after another. */
function lockPlace(tx: Sql, place: PiecePlace): Promise<void> {
  return lockName(tx, `vault:${placeKey(place)}`)
}
