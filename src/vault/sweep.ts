// Cleans the vault: removes what belongs to no session, thread or job any more, then the oldest of what is too much.
import type {
  PieceInfo,
  PieceOwnerVerbs,
  PiecePlace,
  PieceStore,
} from '../store/contract/pieces.ts'
import { hidesId } from './safe-name.ts'
import { parseName } from './segment.ts'

export type Sweep = PieceOwnerVerbs & {
  /** Only what was written before this time may belong to nobody: an owner may be stored a moment later. */
  readonly before: number
  /** How much the vault may hold, as it is stored; `null`: without limit. */
  readonly maxBytes: number | null
}

export type VaultSwept = {
  /** How many copies, or sets of objects, belonged to nobody. */
  readonly removed: number
  /** How many pieces were too much. */
  readonly dropped: number
}

export const NOTHING_SWEPT: VaultSwept = { removed: 0, dropped: 0 }

const AT_ONCE = 200

/** The pieces of one place. */
type Shelf = { readonly place: PiecePlace; readonly pieces: readonly PieceInfo[] }

export async function sweepPieces(pieces: PieceStore, sweep: Sweep): Promise<VaultSwept> {
  const kept: Part[] = []
  let used = 0
  let removed = 0
  for await (const shelves of batchesOf(pieces)) {
    const unowned = await removeUnowned(pieces, shelves, sweep)
    removed += unowned.size
    const owned = shelves.filter(({ place }) => !unowned.has(place))
    used += sizeOf(owned.flatMap(shelf => shelf.pieces))
    if (sweep.maxBytes !== null) kept.push(...owned.flatMap(partsOf))
  }
  const dropped = await dropOldest(pieces, kept, used - (sweep.maxBytes ?? used))
  return { removed, dropped }
}

/** The vault of a large store is not held in memory. */
async function* batchesOf(pieces: PieceStore): AsyncGenerator<readonly Shelf[]> {
  let batch: { readonly place: PiecePlace; readonly pieces: PieceInfo[] }[] = []
  let key = ''
  for await (const { place, piece } of pieces.all()) {
    const next = JSON.stringify(Object.values(place))
    if (next !== key && batch.length === AT_ONCE) {
      yield batch
      batch = []
    }
    if (next === key) batch.at(-1)?.pieces.push(piece)
    else batch.push({ place, pieces: [piece] })
    key = next
  }
  if (batch.length > 0) yield batch
}

async function removeUnowned(
  pieces: PieceStore,
  shelves: readonly Shelf[],
  { withoutOwner, before }: Sweep,
): Promise<ReadonlySet<PiecePlace>> {
  const old = shelves
    .filter(shelf => isReadable(shelf.place) && shelf.pieces.every(({ at }) => at < before))
    .map(({ place }) => place)
  const unowned = old.length === 0 ? [] : await withoutOwner(old)
  for (const place of unowned) await pieces.remove(place)
  return new Set(unowned)
}

/** The store cannot be asked about an id that is hidden in a file name. Such a copy goes with its thread alone. */
function isReadable(place: PiecePlace): boolean {
  return place.shelf === 'objects' || !(hidesId(place.sessionId) || hidesId(place.agent))
}

/** What can be dropped at once: the latest generation of a copy, or what came before it. */
type Part = {
  readonly place: PiecePlace
  readonly which: 'superseded' | 'latest'
  readonly bytes: number
  /** As old as its newest piece. */
  readonly at: number
}

/** Objects stay: jobs go on from them. */
function partsOf({ place, pieces }: Shelf): readonly Part[] {
  if (place.shelf === 'objects') return []
  return (['superseded', 'latest'] as const).flatMap(which => {
    const chosen = select(pieces, which)
    if (chosen.length === 0) return []
    return [{ place, which, bytes: sizeOf(chosen), at: Math.max(...chosen.map(({ at }) => at)) }]
  })
}

/** Replaced files count as superseded. */
function select(pieces: readonly PieceInfo[], which: Part['which']): readonly PieceInfo[] {
  const generationOf = ({ name }: PieceInfo) => parseName(name)?.generation ?? 0
  const newest = Math.max(...pieces.map(generationOf))
  return pieces.filter(piece => generationOf(piece) < newest === (which === 'superseded'))
}

/** First what is superseded, then copies as a whole, the oldest first. */
async function dropOldest(
  pieces: PieceStore,
  parts: readonly Part[],
  tooMuch: number,
): Promise<number> {
  const rank = ({ which }: Part) => (which === 'superseded' ? 0 : 1)
  let left = tooMuch
  let dropped = 0
  for (const { place, which, bytes } of parts.toSorted(
    (a, b) => rank(a) - rank(b) || a.at - b.at,
  )) {
    if (left <= 0) break
    const names = select(await pieces.list(place), which).map(({ name }) => name)
    await pieces.drop(place, names)
    left -= bytes
    dropped += names.length
  }
  return dropped
}

function sizeOf(pieces: readonly PieceInfo[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes, 0)
}
