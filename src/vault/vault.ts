// Our copy of agents' session files. After each run the vault adds what is new; it restores a lost file as a whole.
import { promises as disk } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { PieceFence, PiecePlace, PieceStore } from '../store/contract/pieces.ts'
import { keepFile } from './keep-file.ts'
import { NO_OBJECTS, objectsIn, type VaultObjects } from './objects.ts'
import { pack, unpack } from './pack.ts'
import { wholeOf } from './segment.ts'
import { NOTHING_SWEPT, type Sweep, sweepPieces, type VaultSwept } from './sweep.ts'
import { writeWhole } from './write-whole.ts'

export type VaultKey = { readonly agent: string; readonly sessionId: string }

export type Vault = {
  /** Other machines can restore from it. */
  readonly isShared: boolean
  /** Adds what is new in a session file, whole lines only. Returns how many bytes of it the copy holds now. */
  keep(key: VaultKey, path: string, fence?: PieceFence): Promise<number>
  /** The same for a file that may be damaged: adds only what continues the copy. */
  extend(key: VaultKey, path: string): Promise<number>
  /** The copy, after a check of every checksum; `null` when there is no whole copy. */
  read(key: VaultKey): Promise<Uint8Array | null>
  /** When the newest part of the copy was made; `null` when there is none. */
  keptAt(key: VaultKey): Promise<number | null>
  /** Writes the copy to the file's place, and first saves an existing file beside the copy. False when there is no copy. */
  restore(key: VaultKey, path: string): Promise<boolean>
  remove(key: VaultKey): Promise<void>
  /** Bytes of others: of a thread or a job. */
  readonly objects: VaultObjects
  /** Removes what belongs to nobody, and what is too much. */
  sweep(sweep: Sweep): Promise<VaultSwept>
}

/** The vault of a process without a data directory: it keeps nothing. */
export const NO_VAULT: Vault = {
  isShared: false,
  keep: async () => 0,
  extend: async () => 0,
  read: async () => null,
  keptAt: async () => null,
  restore: async () => false,
  remove: async () => {},
  objects: NO_OBJECTS,
  sweep: async () => NOTHING_SWEPT,
}

export function createVault(pieces: PieceStore): Vault {
  return {
    isShared: pieces.isShared,
    keep: (key, path, fence) =>
      keepFile(pieces, placeOf(key), { path, what: 'any-content', fence }),
    extend: (key, path) => keepFile(pieces, placeOf(key), { path, what: 'only-continuation' }),
    read: key => readCopy(pieces, placeOf(key)),
    keptAt: key => keptAt(pieces, placeOf(key)),
    restore: (key, path) => restore(pieces, placeOf(key), path),
    remove: key => pieces.remove(placeOf(key)),
    objects: objectsIn(pieces),
    sweep: sweep => sweepPieces(pieces, sweep),
  }
}

function placeOf({ agent, sessionId }: VaultKey): PiecePlace {
  return { shelf: 'sessions', agent, sessionId }
}

async function readCopy(pieces: PieceStore, place: PiecePlace): Promise<Buffer | null> {
  const whole = wholeOf(await pieces.names(place))
  const names = whole.map(({ name }) => name)
  const stored = await pieces.read(place, names)
  const parts: Buffer[] = []
  for (const { name, from, to } of whole) {
    const bytes = await unpack(stored.get(name), to - from)
    if (bytes?.length !== to - from) return null
    parts.push(bytes)
  }
  return parts.length === 0 ? null : Buffer.concat(parts)
}

async function keptAt(pieces: PieceStore, place: PiecePlace): Promise<number | null> {
  const listed = await pieces.list(place)
  const last = wholeOf(listed.map(({ name }) => name)).at(-1)
  return listed.find(({ name }) => name === last?.name)?.at ?? null
}

async function restore(pieces: PieceStore, place: PiecePlace, path: string): Promise<boolean> {
  const copy = await readCopy(pieces, place)
  if (copy === null) return false
  const found = await disk.readFile(path).catch(() => null) // A missing file is the usual reason for a restore.
  if (found !== null) {
    if (found.equals(copy)) return true
    await pieces.write(place, `replaced-${basename(path)}`, await pack(found))
  }
  await disk.mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeWhole(path, copy)
  return true
}
