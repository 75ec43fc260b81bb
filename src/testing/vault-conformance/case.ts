// One test of what the vault needs of a store of pieces. It uses only the contract, so it fits every such store.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PiecePlace, PieceStore } from '../../store/contract/pieces.ts'
import { createVault, type Vault, type VaultKey } from '../../vault/vault.ts'

/** An empty store of pieces, and a directory for the session files of a test. */
export type VaultWorld = {
  readonly directory: string
  /** Opens the store as another process would; the first call opens it for the first time. */
  pieces(): Promise<PieceStore>
  close(): Promise<void>
}

/** What a test works with: a vault, the pieces below it, and a session file to copy. */
export type VaultBench = {
  readonly world: VaultWorld
  readonly vault: Vault
  readonly pieces: PieceStore
  readonly key: VaultKey
  readonly place: PiecePlace
  readonly file: string
  /** Writes the session file and keeps it. */
  story(text: string): Promise<number>
  /** The copy as text. */
  copy(): Promise<string | null>
  names(): Promise<readonly string[]>
}

/** One test that every store of pieces must pass. */
export type VaultCase = {
  readonly title: string
  readonly check: (world: VaultWorld) => Promise<void>
}

export function vaultCase(title: string, check: (bench: VaultBench) => Promise<void>): VaultCase {
  return { title, check: async world => check(await benchOf(world)) }
}

async function benchOf(world: VaultWorld): Promise<VaultBench> {
  const pieces = await world.pieces()
  const vault = createVault(pieces)
  const key = { agent: 'claude-code', sessionId: 'a1b2' }
  const place = { shelf: 'sessions', ...key } as const
  const file = join(world.directory, 'sessions', 'a1b2.jsonl')
  mkdirSync(join(world.directory, 'sessions'), { recursive: true })
  return {
    ...{ world, vault, pieces, key, place, file },
    story: text => {
      writeFileSync(file, text)
      return vault.keep(key, file)
    },
    copy: () => copyOf(vault, key),
    names: async () => (await pieces.names(place)).toSorted(),
  }
}

export async function copyOf(vault: Vault, key: VaultKey): Promise<string | null> {
  const copy = await vault.read(key)
  return copy === null ? null : Buffer.from(copy).toString('utf8')
}

/** Changes one byte of a stored piece, or of its checksum. */
export async function damage(pieces: PieceStore, place: PiecePlace, name: string): Promise<void> {
  const piece = (await pieces.read(place, [name])).get(name)
  assert.ok(piece, `there is a piece ${name}`)
  const packed = Buffer.from(piece.packed)
  packed[packed.length - 3] = (packed.at(-3) ?? 0) ^ 0x41
  await pieces.write(place, name, { ...piece, packed })
}
