// A piece of a session file in the vault: compressed, with a checksum, named by the bytes that it covers.
import { hash } from 'node:crypto'
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { writeWhole } from './write-whole.ts'

export type Segment = {
  readonly name: string
  /** Grows when a session file was rewritten instead of continued. */
  readonly generation: number
  /** Bytes `[from, to)` of the file. */
  readonly from: number
  readonly to: number
}

const NAME = /^(\d{1,9})\.(\d{1,15})\.(\d{1,15})\.gz$/
const DIGEST_BYTES = 32

export function parseName(name: string): Segment | null {
  const match = NAME.exec(name)
  if (!match) return null
  const [generation, from, to] = match.slice(1).map(Number) as [number, number, number]
  return to > from ? { name, generation, from, to } : null
}

/** Writes the whole piece or nothing. */
export async function packSegment(
  place: string,
  { generation, from, to }: Omit<Segment, 'name'>,
  bytes: Buffer,
): Promise<void> {
  const path = join(place, `${generation}.${from}.${to}.gz`)
  const digest = digestOf(bytes)
  await writeWhole(path, Buffer.concat([digest, await promisify(gzip)(bytes)]))
}

/** `null` when the piece is missing or damaged. */
export async function unpackSegment(path: string): Promise<Buffer | null> {
  const segment = parseName(path.slice(path.lastIndexOf('/') + 1))
  const stored = await disk.readFile(path).catch(() => null) // Gone.
  if (stored === null || segment === null) return null
  const maxOutputLength = segment.to - segment.from
  const packed = stored.subarray(DIGEST_BYTES)
  const bytes = await promisify(gunzip)(packed, { maxOutputLength }).catch(
    () => null, // Not what was written.
  )
  if (bytes === null || bytes.length !== maxOutputLength) return null
  const digest = digestOf(bytes)
  return digest.equals(stored.subarray(0, DIGEST_BYTES)) ? bytes : null
}

function digestOf(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer')
}
