// Reads a thread file into a staging directory: the head first, and no entry before its seal holds. Nothing is unpacked whose hash is wrong.
import { createHash } from 'node:crypto'
import { createReadStream, promises as disk } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { ByteReader } from './byte-reader.ts'
import { damaged, type FileEntry, type Manifest, notOurs, readHead, tooLarge } from './head.ts'
import { FILE_LIMITS, type FileLimits } from './limits.ts'

export type StagedEntry = FileEntry & { readonly path: string }

export type StagedFile = {
  readonly manifest: Manifest
  readonly sha256: string
  /** In the order of the manifest, unpacked and checked. */
  readonly entries: readonly StagedEntry[]
}

export async function readThreadFile(
  source: AsyncIterable<Uint8Array>,
  directory: string,
  limits: FileLimits = FILE_LIMITS,
): Promise<StagedFile> {
  const reader = new ByteReader(source, limits.fileBytes)
  try {
    const head = await headOf(reader, limits)
    const entries: StagedEntry[] = []
    for (const [at, entry] of head.manifest.entries.entries()) {
      const path = join(directory, String(at))
      await stagePacked(reader, entry, `${path}.packed`)
      await unpack(`${path}.packed`, path, entry)
      entries.push({ ...entry, path })
    }
    if (await reader.hasMore()) throw damaged('something follows its last entry')
    return { ...head, entries }
  } finally {
    await reader.close()
  }
}

async function headOf(reader: ByteReader, limits: FileLimits) {
  const magic = await reader.line(100)
  if (magic === null) throw notOurs()
  // The first line says whether it is ours at all, before a megabyte is read for the second.
  if (magic !== 'reprise-thread-file') throw notOurs()
  const json = await reader.line(limits.headBytes)
  const seal = await reader.line(1_000)
  if (json === null || seal === null) throw damaged('its head is cut off or too long')
  return readHead([magic, json, seal], limits)
}

async function stagePacked(reader: ByteReader, entry: FileEntry, path: string): Promise<void> {
  const hash = createHash('sha256')
  const file = await disk.open(path, 'wx', 0o600)
  try {
    let left = entry.bytes
    while (left > 0) {
      const chunk = await reader.take(left)
      if (chunk === null) throw damaged('it is cut off')
      hash.update(chunk)
      await file.writeFile(chunk)
      left -= chunk.length
    }
  } finally {
    await file.close()
  }
  if (hash.digest('hex') !== entry.sha256) throw damaged(`its ${entry.kind} was changed`)
}

async function unpack(from: string, to: string, { kind, size }: FileEntry): Promise<void> {
  const file = await disk.open(to, 'wx', 0o600)
  try {
    const written = await inflate(from, file, size)
    if (written !== size) throw damaged(`its ${kind} does not have the size that it claims`)
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rm(from)
}

/** Gives how many bytes came out, and stops at the first one too many. */
async function inflate(from: string, file: FileHandle, most: number): Promise<number> {
  const packed = createReadStream(from)
  const plain = createGunzip()
  packed.on('error', error => plain.destroy(error))
  let written = 0
  try {
    for await (const chunk of packed.pipe(plain)) {
      written += chunk.length
      if (written > most) return written
      await file.writeFile(chunk)
    }
    return written
  } catch {
    throw damaged('an entry cannot be unpacked')
  } finally {
    packed.destroy()
    plain.destroy()
  }
}

/** The lines of a staged list. */
export async function* stagedLines(
  { path, kind }: StagedEntry,
  limits: FileLimits = FILE_LIMITS,
): AsyncGenerator<string> {
  const reader = new ByteReader(createReadStream(path), Number.POSITIVE_INFINITY)
  try {
    let lines = 0
    while (await reader.hasMore()) {
      const line = await reader.line(limits.lineBytes)
      if (line === null) throw damaged(`a line of its ${kind} is cut off or too long`)
      lines += 1
      if (lines > limits.lines) throw tooLarge(`its ${kind} has more than ${limits.lines} lines`)
      yield line
    }
  } finally {
    await reader.close()
  }
}
