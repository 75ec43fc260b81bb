// Bytes that others keep in the vault, such as git bundles of checkpoints. Each belongs to a thread or a job and goes with it.
import { RepriseError } from '../errors.ts'
import type { PieceInfo, PiecePlace, PieceStore, PieceWriting } from '../store/contract/pieces.ts'
import { pack, unpack } from './pack.ts'

export type ObjectKey = {
  /** The id of a thread or a job. */
  readonly owner: string
  readonly name: string
}

export type VaultObjects = {
  /** Keeps the bytes as a whole or not at all. Replaces those of the same name. */
  put(key: ObjectKey, bytes: Uint8Array, writing?: PieceWriting): Promise<void>
  /** After a check of the checksum; `null` when there is nothing, or when it is damaged. */
  get(key: ObjectKey): Promise<Uint8Array | null>
  /** In the order of their names. */
  list(owner: string): Promise<readonly PieceInfo[]>
  /** Removes all objects of the owner. */
  remove(owner: string): Promise<void>
}

export const NO_OBJECTS: VaultObjects = {
  put: async () => {},
  get: async () => null,
  list: async () => [],
  remove: async () => {},
}

const MAX_OBJECT_BYTES = 512 * 1024 * 1024
/** As a file name, one letter may take nine characters. */
const MAX_NAME_LENGTH = 200

export function objectsIn(pieces: PieceStore): VaultObjects {
  return {
    async put({ owner, name }, bytes, writing) {
      refuse(name, bytes.byteLength)
      await pieces.write(placeOf(owner), name, await pack(bytes), writing)
    },
    async get({ owner, name }) {
      const stored = await pieces.read(placeOf(owner), [name])
      return unpack(stored.get(name), MAX_OBJECT_BYTES)
    },
    async list(owner) {
      const listed = await pieces.list(placeOf(owner))
      return listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    },
    remove: owner => pieces.remove(placeOf(owner)),
  }
}

function placeOf(owner: string): PiecePlace {
  return { shelf: 'objects', owner }
}

function refuse(name: string, bytes: number): void {
  if (name === '' || encodeURIComponent(name.toWellFormed()).length > MAX_NAME_LENGTH) {
    const hint = `Use a name of 1 to ${MAX_NAME_LENGTH} letters.`
    throw new RepriseError('bad-input', `${JSON.stringify(name)} cannot name an object`, hint)
  }
  if (bytes <= MAX_OBJECT_BYTES) return
  const what = `the object ${name} has ${bytes} bytes, and the vault keeps at most ${MAX_OBJECT_BYTES}`
  throw new RepriseError('too-large', what, 'Keep less in one object.')
}
