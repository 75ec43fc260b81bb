// Writes a thread file: packs each entry into a staging directory first, because the head says how large each is.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, promises as disk } from 'node:fs'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { StoreKey } from '../store/contract/thread-content.ts'
import { type FileEntry, isPackedTooTight, type Manifest, tooLarge, writeHead } from './head.ts'
import { FILE_LIMITS } from './limits.ts'

export type EntrySource = Pick<FileEntry, 'kind' | 'of'> & {
  readonly content: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>
}

export type Writing = Pick<Manifest, 'threadId' | 'createdAt' | 'program'> & {
  /** Must be empty, and belongs to this writer. */
  readonly directory: string
  readonly key: StoreKey | null
  readonly entries: AsyncIterable<EntrySource>
}

export type WrittenFile = {
  readonly bytes: number
  readonly entries: readonly FileEntry[]
  readonly content: AsyncIterable<Uint8Array>
}

export async function writeThreadFile(writing: Writing): Promise<WrittenFile> {
  const { directory, key, entries: sources, ...manifest } = writing
  const entries: FileEntry[] = []
  for await (const source of sources) {
    entries.push(await packEntry(join(directory, String(entries.length)), source))
  }
  const head = Buffer.from(writeHead({ ...manifest, entries }, key))
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, head.length)
  const unpacked = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (bytes > FILE_LIMITS.fileBytes) throw tooLarge(`it would have ${bytes} bytes`)
  if (unpacked > FILE_LIMITS.unpackedBytes) throw tooLarge(`it would hold ${unpacked} bytes`)
  return { bytes, entries, content: contentOf(head, directory, entries.length) }
}

async function* contentOf(
  head: Uint8Array,
  directory: string,
  entries: number,
): AsyncGenerator<Uint8Array> {
  yield head
  for (let at = 0; at < entries; at += 1) {
    for await (const chunk of createReadStream(join(directory, String(at)))) yield chunk
  }
}

async function packEntry(path: string, source: EntrySource): Promise<FileEntry> {
  const entry = await pack(path, source, createGzip())
  if (!isPackedTooTight(entry, FILE_LIMITS)) return entry
  // A reader would take it for a bomb, so it goes as it is.
  await disk.rename(path, `${path}.tight`)
  const content = createReadStream(`${path}.tight`).pipe(createGunzip())
  const loose = await pack(path, { ...source, content }, createGzip({ level: 0 }))
  await disk.rm(`${path}.tight`)
  return loose
}

async function pack(
  path: string,
  { kind, of, content }: EntrySource,
  packer: ReturnType<typeof createGzip>,
): Promise<FileEntry> {
  const plain = counting()
  const packed = counting()
  await pipeline(
    Readable.from(content, { objectMode: true }),
    plain.through,
    packer,
    packed.through,
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  )
  return { kind, of, bytes: packed.bytes(), sha256: packed.sha256(), size: plain.bytes() }
}

function counting() {
  const hash = createHash('sha256')
  let bytes = 0
  const through = new Transform({
    writableObjectMode: true,
    transform(chunk: Uint8Array | string, _, done) {
      const piece = Buffer.from(chunk)
      bytes += piece.length
      hash.update(piece)
      done(null, piece)
    },
  })
  return { through, bytes: () => bytes, sha256: () => hash.digest('hex') }
}
