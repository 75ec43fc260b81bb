// A piece of a session file in the vault: compressed, with its checksum, named by what it covers.
import { hash } from 'node:crypto'
import { promises as disk, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib'
import { writeNow, writeWhole } from './write-whole.ts'

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
/** A turn's share of a session file. What is that small takes longer to hand to another thread than to do. */
export const SMALL_BYTES = 128 * 1024

export function parseName(name: string): Segment | null {
  const match = NAME.exec(name)
  if (!match) return null
  const [generation, from, to] = match.slice(1).map(Number) as [number, number, number]
  return to > from ? { name, generation, from, to } : null
}

/** Complete under its name, or not there at all. */
export async function packSegment(
  place: string,
  { generation, from, to }: Omit<Segment, 'name'>,
  bytes: Buffer,
): Promise<void> {
  const path = join(place, `${generation}.${from}.${to}.gz`)
  const digest = digestOf(bytes)
  const packed = Buffer.concat([digest, await compress(bytes)])
  if (packed.length <= SMALL_BYTES) writeNow(path, packed)
  else await writeWhole(path, packed)
}

/** `null` when it is gone or not what was written. */
export async function unpackSegment(path: string): Promise<Buffer | null> {
  const segment = parseName(path.slice(path.lastIndexOf('/') + 1))
  const stored = await readStored(path)
  if (stored === null || segment === null) return null
  const maxOutputLength = segment.to - segment.from
  const bytes = await decompress(stored.subarray(DIGEST_BYTES), maxOutputLength).catch(
    () => null, // Not what was written.
  )
  if (bytes === null || bytes.length !== maxOutputLength) return null
  const digest = digestOf(bytes)
  return digest.equals(stored.subarray(0, DIGEST_BYTES)) ? bytes : null
}

async function readStored(path: string): Promise<Buffer | null> {
  try {
    return statSync(path).size <= SMALL_BYTES ? readFileSync(path) : await disk.readFile(path)
  } catch {
    return null // Gone.
  }
}

function digestOf(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer')
}

async function compress(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= SMALL_BYTES ? gzipSync(bytes) : promisify(gzip)(bytes)
}

async function decompress(bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  const options = { maxOutputLength }
  return maxOutputLength <= SMALL_BYTES
    ? gunzipSync(bytes, options)
    : promisify(gunzip)(bytes, options)
}
