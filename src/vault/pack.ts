// Compresses bytes and adds a checksum; gives them back only when they are what was packed.
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { PackedPiece } from '../store/contract/pieces.ts'

export async function pack(bytes: Uint8Array): Promise<PackedPiece> {
  return { digest: digestOf(bytes), packed: await promisify(gzip)(bytes) }
}

/** `null` when the piece is missing, damaged, or larger than it may be. */
export async function unpack(
  piece: PackedPiece | undefined,
  maxOutputLength: number,
): Promise<Buffer | null> {
  if (piece === undefined) return null
  const bytes = await promisify(gunzip)(piece.packed, { maxOutputLength }).catch(
    () => null, // Not what was written.
  )
  return bytes !== null && digestOf(bytes) === piece.digest ? bytes : null
}

function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}
