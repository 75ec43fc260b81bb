// Copies a session file piece by piece: what continues the copy is added, a rewritten file begins a new generation.
import { constants, promises as disk } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { PieceFence, PiecePlace, PieceStore } from '../store/contract/pieces.ts'
import { pack, unpack } from './pack.ts'
import { nameOf, parseName, type Segment, wholeOf } from './segment.ts'

export type FileKeeping = {
  readonly path: string
  readonly what: 'any-content' | 'only-continuation'
  /** While its run goes on: another host may take over. */
  readonly fence?: PieceFence | undefined
}

const SEGMENT_BYTES = 8 * 1024 * 1024
/** A rewritten file is copied again as a new generation; the earlier copy stays. */
const KEPT_GENERATIONS = 2

type Copy = {
  readonly pieces: PieceStore
  readonly place: PiecePlace
  readonly fence?: PieceFence | undefined
}
type Opened = { readonly file: FileHandle; readonly size: number }

/** Returns how many bytes of the file the copy holds now. */
export async function keepFile(
  pieces: PieceStore,
  place: PiecePlace,
  { path, what, fence }: FileKeeping,
): Promise<number> {
  const file = await opened(path)
  if (file === null) return 0
  try {
    const stat = await file.stat()
    // A directory in its place can be opened, but not read.
    if (!stat.isFile()) return 0
    return await keep({ pieces, place, fence }, { file, size: stat.size }, what)
  } finally {
    await file.close()
  }
}

async function keep(copy: Copy, opened: Opened, what: FileKeeping['what']): Promise<number> {
  const { size } = opened
  const names = await copy.pieces.names(copy.place)
  const whole = wholeOf(names)
  const last = whole.at(-1)
  const continues = last !== undefined && (await isContinued(copy, last, opened))
  if (continues && size <= last.to) return last.to
  if (!continues && last && what === 'only-continuation') return last.to
  // When the file lost its end, our copy still keeps it.
  if (!continues && last && size < last.to && (await isBeginning(copy, whole, opened)))
    return last.to
  const generation = continues ? last.generation : latestOf(names) + 1
  const to = await append(copy, opened, { from: continues ? last.to : 0, generation })
  if (!continues && to > 0) await dropBefore(copy, generation - KEPT_GENERATIONS + 1)
  return to
}

function latestOf(names: readonly string[]): number {
  return Math.max(0, ...names.map(name => parseName(name)?.generation ?? 0))
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
async function isContinued(copy: Copy, last: Segment, { file, size }: Opened): Promise<boolean> {
  if (size < last.to) return false
  const ours = await readSegment(copy, last)
  return ours?.equals(await readRange(file, last.from, last.to)) ?? false
}

async function isBeginning(
  copy: Copy,
  whole: readonly Segment[],
  { file, size }: Opened,
): Promise<boolean> {
  for (const segment of whole) {
    if (segment.from >= size) break
    const ours = await readSegment(copy, segment)
    const end = Math.min(size, segment.to)
    const theirs = await readRange(file, segment.from, end)
    if (!ours?.subarray(0, end - segment.from).equals(theirs)) return false
  }
  return true
}

async function readSegment({ pieces, place }: Copy, segment: Segment): Promise<Buffer | null> {
  const { name, from, to } = segment
  return unpack((await pieces.read(place, [name])).get(name), to - from)
}

/** Returns where the copy ends now: after the last whole line. */
async function append(
  { pieces, place, fence }: Copy,
  { file, size }: Opened,
  { from, generation }: { readonly from: number; readonly generation: number },
): Promise<number> {
  let end = from
  while (end < size) {
    const bytes = await readWholeLines(file, end, size)
    if (bytes.length === 0) break
    const to = end + bytes.length
    const name = nameOf({ generation, from: end, to })
    await pieces.write(place, name, await pack(bytes), fence && { fence })
    end = to
  }
  return end
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

async function dropBefore({ pieces, place }: Copy, generation: number): Promise<void> {
  const old = (await pieces.names(place)).filter(
    name => (parseName(name)?.generation ?? generation) < generation,
  )
  if (old.length > 0) await pieces.drop(place, old)
}
