// Our copy of agents' session files. After each run the vault adds what is new; it restores a lost file as a whole.
import { constants, promises as disk } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { safeName } from './safe-name.ts'
import { packSegment, parseName, type Segment, unpackSegment } from './segment.ts'
import { writeWhole } from './write-whole.ts'

export type VaultKey = { readonly agent: string; readonly sessionId: string }

export type Vault = {
  /** Adds what is new in a session file, whole lines only. Returns how many bytes of it the copy holds now. */
  keep(key: VaultKey, path: string): Promise<number>
  /** The same for a file that may be damaged: adds only what continues the copy. */
  extend(key: VaultKey, path: string): Promise<number>
  /** The copy, after a check of every checksum; `null` when there is no whole copy. */
  read(key: VaultKey): Promise<Uint8Array | null>
  /** When the newest part of the copy was made; `null` when there is none. */
  keptAt(key: VaultKey): Promise<number | null>
  /** Writes the copy to the file's place, and first saves an existing file beside the copy. False when there is no copy. */
  restore(key: VaultKey, path: string): Promise<boolean>
  remove(key: VaultKey): Promise<void>
}

/** The vault of a process without a data directory: it keeps nothing. */
export const NO_VAULT: Vault = {
  keep: async () => 0,
  extend: async () => 0,
  read: async () => null,
  keptAt: async () => null,
  restore: async () => false,
  remove: async () => {},
}

const SEGMENT_BYTES = 8 * 1024 * 1024
/** A rewritten file is copied again as a new generation; the earlier copy stays. */
const KEPT_GENERATIONS = 2

export function createVault(directory: string): Vault {
  const placeOf = (key: VaultKey) => join(directory, safeName(key.agent), safeName(key.sessionId))
  return {
    keep: (key, path) => keep(placeOf(key), { path, what: 'any-content' }),
    extend: (key, path) => keep(placeOf(key), { path, what: 'only-continuation' }),
    read: key => readCopy(placeOf(key)),
    keptAt: key => keptAt(placeOf(key)),
    restore: (key, path) => restore(placeOf(key), path),
    // Tries again when a file was added meanwhile: the process that added it sees that the session is gone and removes it.
    remove: key => disk.rm(placeOf(key), { recursive: true, force: true, maxRetries: 5 }),
  }
}

type Keeping = {
  readonly path: string
  readonly what: 'any-content' | 'only-continuation'
}

async function keep(place: string, { path, what }: Keeping): Promise<number> {
  const file = await opened(path)
  if (file === null) return 0
  try {
    const { size } = await file.stat()
    const last = (await listSegments(place)).at(-1)
    const continues = last !== undefined && (await isContinued(place, last, { file, size }))
    if (continues && size <= last.to) return last.to
    if (!continues && last && what === 'only-continuation') return last.to
    const from = continues ? last.to : 0
    // When the file lost its end, our copy still keeps it.
    if (!continues && last && size < last.to && (await isBeginning(place, file, size)))
      return last.to
    const generation = continues ? last.generation : (last?.generation ?? 0) + 1
    const to = await append(place, { file, size, from, generation })
    if (!continues && to > 0) await dropBefore(place, generation - KEPT_GENERATIONS + 1)
    return to
  } finally {
    await file.close()
  }
}

async function opened(path: string): Promise<FileHandle | null> {
  try {
    // Opens without waiting, because a pipe in its place may have no writer.
    return await disk.open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return null // A missing file has nothing to copy.
  }
}

/** Whether the end of our copy matches the file at that place. */
async function isContinued(
  place: string,
  last: Segment,
  { file, size }: { file: FileHandle; size: number },
): Promise<boolean> {
  if (size < last.to) return false
  const ours = await unpackSegment(join(place, last.name))
  if (ours === null) return false
  return ours.equals(await readRange(file, last.from, last.to))
}

async function isBeginning(place: string, file: FileHandle, size: number): Promise<boolean> {
  const ours = await readCopy(place)
  if (ours === null) return false
  return Buffer.from(ours.subarray(0, size)).equals(await readRange(file, 0, size))
}

/** Returns where the copy ends now: after the last whole line. */
async function append(
  place: string,
  part: { file: FileHandle; size: number; from: number; generation: number },
): Promise<number> {
  const { file, size, generation } = part
  let { from } = part
  while (from < size) {
    const bytes = await readWholeLines(file, from, size)
    if (bytes.length === 0) break
    const to = from + bytes.length
    await disk.mkdir(place, { recursive: true, mode: 0o700 })
    await packSegment(place, { generation, from, to }, bytes)
    from = to
  }
  return from
}

async function readWholeLines(file: FileHandle, from: number, size: number): Promise<Buffer> {
  for (let length = SEGMENT_BYTES; ; length *= 4) {
    const bytes = await readRange(file, from, Math.min(size, from + length))
    const end = bytes.lastIndexOf(0x0a) + 1
    if (end > 0 || from + length >= size) return bytes.subarray(0, end)
  }
}

async function readRange(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, from)
  return bytes.subarray(0, bytesRead)
}

/** The pieces of the latest generation in order, without gaps. */
async function listSegments(place: string): Promise<readonly Segment[]> {
  const all = (await namesIn(place)).map(parseName).filter(segment => segment !== null)
  const generation = Math.max(0, ...all.map(segment => segment.generation))
  const sorted = all
    .filter(segment => segment.generation === generation)
    .toSorted((a, b) => a.from - b.from)
  const whole: Segment[] = []
  for (const segment of sorted) {
    if (segment.from !== (whole.at(-1)?.to ?? 0)) break
    whole.push(segment)
  }
  return whole
}

async function namesIn(place: string): Promise<readonly string[]> {
  try {
    return await disk.readdir(place)
  } catch {
    return [] // There is no copy yet.
  }
}

async function readCopy(place: string): Promise<Uint8Array | null> {
  const parts: Buffer[] = []
  for (const { name } of await listSegments(place)) {
    const bytes = await unpackSegment(join(place, name))
    if (bytes === null) return null
    parts.push(bytes)
  }
  return parts.length === 0 ? null : Buffer.concat(parts)
}

async function keptAt(place: string): Promise<number | null> {
  const last = (await listSegments(place)).at(-1)
  if (last === undefined) return null
  return Math.round((await disk.stat(join(place, last.name))).mtimeMs)
}

async function restore(place: string, path: string): Promise<boolean> {
  const copy = await readCopy(place)
  if (copy === null) return false
  const found = await disk.readFile(path).catch(() => null) // A missing file is the usual reason for a restore.
  if (found !== null) {
    if (found.equals(copy)) return true
    await writeWhole(join(place, `replaced-${basename(path)}`), found)
  }
  await disk.mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeWhole(path, copy)
  return true
}

async function dropBefore(place: string, generation: number): Promise<void> {
  for (const name of await disk.readdir(place)) {
    const segment = parseName(name)
    if (segment && segment.generation < generation)
      await disk.rm(join(place, name), { force: true })
  }
}
