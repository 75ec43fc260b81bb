// Keeps the pieces of the vault as private files: `vault/AGENT/SESSION/PIECE.gz` and `vault-objects/OWNER/NAME.gz`.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import type { PackedPiece, PieceInfo, PiecePlace, PieceStore } from '../store/contract/pieces.ts'
import { safeName } from './safe-name.ts'
import { writeWhole } from './write-whole.ts'

/** A file begins with the digest; the compressed bytes follow. */
const DIGEST_BYTES = 32
const END = '.gz'

/** `directory`: the data directory. */
export function filePieces(directory: string): PieceStore {
  const pathOf = (place: PiecePlace) => pathIn(directory, place)
  return {
    isShared: false,
    names: async place => (await piecesIn(pathOf(place))).map(({ name }) => name),
    list: place => listIn(pathOf(place)),
    async read(place, names) {
      const found = new Map<string, PackedPiece>()
      for (const name of names) {
        const piece = await readPiece(join(pathOf(place), fileName(name)))
        if (piece) found.set(name, piece)
      }
      return found
    },
    async write(place, name, { digest, packed }, { instead = [] } = {}) {
      const bytes = Buffer.concat([Buffer.from(digest, 'hex'), packed])
      await writeInto(pathOf(place), fileName(name), bytes)
      await dropFrom(pathOf(place), instead)
    },
    drop: (place, names) => dropFrom(pathOf(place), names),
    // Tries again when a file was added meanwhile: the process that added it sees that the session is gone and removes it.
    remove: place => disk.rm(pathOf(place), { recursive: true, force: true, maxRetries: 5 }),
    all: () => allIn(directory),
  }
}

const ROOTS = { sessions: 'vault', objects: 'vault-objects' } as const

function pathIn(directory: string, place: PiecePlace): string {
  const root = join(directory, ROOTS[place.shelf])
  return place.shelf === 'sessions'
    ? join(root, safeName(place.agent), safeName(place.sessionId))
    : join(root, safeName(place.owner))
}

async function dropFrom(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) await disk.rm(join(directory, fileName(name)), { force: true })
}

const MOST_TRIES = 5

/** Another process may remove the directory between any two of these steps; then they are taken again. */
async function writeInto(directory: string, file: string, bytes: Uint8Array): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await disk.mkdir(directory, { recursive: true, mode: 0o700 })
      return await writeWhole(join(directory, file), bytes)
    } catch (error) {
      if (tries === MOST_TRIES || !isMissing(error)) throw error
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** The ending makes harmless names of `.` and `..`. */
function fileName(piece: string): string {
  return `${encodeURIComponent(piece)}${END}`
}

async function listIn(path: string): Promise<readonly PieceInfo[]> {
  const pieces: PieceInfo[] = []
  for (const { name, file } of await piecesIn(path)) {
    const stat = await disk.stat(join(path, file)).catch(() => null) // Gone meanwhile.
    if (stat === null) continue
    pieces.push({ name, at: Math.round(stat.mtimeMs), bytes: stat.size })
  }
  return pieces
}

async function piecesIn(path: string) {
  const entries = await disk.readdir(path, { withFileTypes: true }).catch(() => []) // Nothing was written there.
  return entries.flatMap(entry => {
    const name = entry.isFile() ? pieceName(entry.name) : null
    return name === null ? [] : [{ name, file: entry.name }]
  })
}

/** `null` for a file that is not a piece, such as one that a crash left half written. */
function pieceName(file: string): string | null {
  if (!file.endsWith(END)) return null
  try {
    return decodeURIComponent(file.slice(0, -END.length))
  } catch {
    return null // Somebody else wrote it.
  }
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await disk.readdir(path)
  } catch {
    return [] // Nothing was written there.
  }
}

async function readPiece(path: string): Promise<PackedPiece | null> {
  const stored = await disk.readFile(path).catch(() => null) // Gone.
  if (stored === null) return null
  const digest = stored.subarray(0, DIGEST_BYTES).toString('hex')
  return { digest, packed: stored.subarray(DIGEST_BYTES) }
}

async function* allIn(directory: string): ReturnType<PieceStore['all']> {
  const sessions = join(directory, ROOTS.sessions)
  for (const agent of await namesIn(sessions)) {
    for (const sessionId of await namesIn(join(sessions, agent))) {
      yield* piecesOf(directory, { shelf: 'sessions', agent, sessionId })
    }
  }
  for (const owner of await namesIn(join(directory, ROOTS.objects))) {
    yield* piecesOf(directory, { shelf: 'objects', owner })
  }
}

async function* piecesOf(directory: string, place: PiecePlace): ReturnType<PieceStore['all']> {
  for (const piece of await listIn(pathIn(directory, place))) yield { place, piece }
}
