// The bytes of the vault's pieces: equal content has one row, in parts of bounded size, and goes with its last piece.
import type { PackedPiece } from '../../contract/pieces.ts'
import { inChunks } from '../../sql/chunks.ts'
import type { Sql } from '../../sql/dialect.ts'
import { insertRows } from '../../sql/plain-sql.ts'
import { join, sql } from '../../sql/statement.ts'

/** A database takes larger values, but then one value of a row can fill its memory. */
const PART_BYTES = 8 * 1024 * 1024

/** Writes also what is there already: it locks the content against its removal, and mends damaged bytes. */
export async function keepContent(tx: Sql, { digest, packed }: PackedPiece): Promise<void> {
  const bytes = packed.byteLength
  await insertRows(tx, { table: 'vault_contents', otherwise: KEEP_CONTENT }, [{ digest, bytes }])
  const parts = Math.max(1, Math.ceil(bytes / PART_BYTES))
  for (let part = 0; part < parts; part += 1) {
    const cut = Buffer.from(packed).subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
    const row = { digest, part, packed: cut }
    await insertRows(tx, { table: 'vault_parts', otherwise: MEND_PART }, [row])
  }
  await tx.execute(sql`delete from vault_parts where digest = ${digest} and part >= ${parts}`)
}

const KEEP_CONTENT = sql`on conflict (digest) do update set bytes = excluded.bytes`
const MEND_PART = sql`
  on conflict (digest, part) do update
  set packed = excluded.packed
  where vault_parts.packed <> excluded.packed
`
/**
 * Removes those that no piece has any more. A writer of the same content locks its row first, so the second statement, which
 * begins after the lock, sees the piece of that writer.
 */
export async function dropContents(tx: Sql, digests: readonly string[]): Promise<void> {
  for (const some of inChunks(digests)) {
    await tx.execute(sql`
      select digest
      from vault_contents
      where digest in (${join(some)})
      order by digest
      ${tx.dialect.lockRows}
    `)
    await tx.execute(sql`
      delete from vault_contents
      where digest in (${join(some)})
      and not exists (
        select 1
        from vault_pieces
        where vault_pieces.digest = vault_contents.digest
      )
    `)
  }
}
