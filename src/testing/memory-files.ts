// A file system in memory, for simulations: the same interface as files on disk, without a disk.
import { dirname, join, normalize } from 'node:path'
import type { WritableFiles } from './fake-agent/world.ts'

/** A file system in memory. */
export type MemoryFiles = WritableFiles & {
  /** The text of a file; `null` when there is none. */
  text(path: string): string | null
  /** Lists all files, sorted. */
  paths(): readonly string[]
  /** Moves a file, or a directory with everything in it. */
  rename(from: string, to: string): void
}

type Entry =
  | { kind: 'file'; chunks: Uint8Array[]; sizeBytes: number; modifiedMs: number }
  | { kind: 'directory'; names: Set<string>; modifiedMs: number }

/** Creates an empty file system. `now` dates changes; by default it is a counter, so every change has its own time. */
export function memoryFiles(now: () => number = counter()): MemoryFiles {
  const entries = new Map<string, Entry>()
  entries.set('/', { kind: 'directory', names: new Set(), modifiedMs: now() })

  function makeDirectory(path: string): Set<string> {
    const found = entries.get(path)
    if (found?.kind === 'directory') return found.names
    if (found !== undefined) throw new Error(`${path} is a file`)
    const names = new Set<string>()
    link(path)
    entries.set(path, { kind: 'directory', names, modifiedMs: now() })
    return names
  }

  function link(path: string): void {
    makeDirectory(dirname(path)).add(path.slice(path.lastIndexOf('/') + 1))
  }

  function put(path: string, chunks: Uint8Array[]): void {
    if (entries.get(path)?.kind === 'directory') throw new Error(`${path} is a directory`)
    if (!entries.has(path)) link(path)
    const sizeBytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
    entries.set(path, { kind: 'file', chunks, sizeBytes, modifiedMs: now() })
  }

  function remove(path: string): void {
    const entry = entries.get(path)
    if (entry === undefined) return
    if (entry.kind === 'directory') for (const name of [...entry.names]) remove(join(path, name))
    entries.delete(path)
    const parent = entries.get(dirname(path))
    if (parent?.kind === 'directory') parent.names.delete(path.slice(path.lastIndexOf('/') + 1))
  }

  function bytes(path: string): Uint8Array | null {
    const entry = entries.get(path)
    if (entry?.kind !== 'file') return null
    // Returns no Buffer: its slices would share memory with the file.
    if (entry.chunks.length !== 1) entry.chunks = [new Uint8Array(Buffer.concat(entry.chunks))]
    return entry.chunks[0] ?? new Uint8Array()
  }

  function rename(from: string, to: string): void {
    const content = bytes(from)
    const entry = entries.get(from)
    if (content !== null) put(to, [content])
    else if (entry?.kind === 'directory') {
      makeDirectory(to)
      for (const name of [...entry.names]) rename(join(from, name), join(to, name))
    }
    remove(from)
  }

  return {
    async stat(path) {
      const entry = entries.get(clean(path))
      if (entry === undefined) return null
      const sizeBytes = entry.kind === 'file' ? entry.sizeBytes : 0
      return { kind: entry.kind, sizeBytes, modifiedMs: entry.modifiedMs }
    },
    realpath: async path => (entries.has(clean(path)) ? clean(path) : null),
    async list(directory) {
      const entry = entries.get(clean(directory))
      return entry?.kind === 'directory' ? [...entry.names] : null
    },
    read: async (path, fromByte = 0, toByte) => bytes(clean(path))?.slice(fromByte, toByte) ?? null,
    write: async (path, content) => put(clean(path), [encode(content)]),
    async append(path, content) {
      const entry = entries.get(clean(path))
      if (entry?.kind !== 'file') return put(clean(path), [encode(content)])
      const chunk = encode(content)
      entry.chunks.push(chunk)
      entry.sizeBytes += chunk.byteLength
      entry.modifiedMs = now()
    },
    remove: async path => remove(clean(path)),
    makeDirectory: async path => void makeDirectory(clean(path)),
    async claim(path) {
      if (entries.has(clean(path))) return false
      put(clean(path), [])
      return true
    },
    text(path) {
      const content = bytes(clean(path))
      return content === null ? null : new TextDecoder().decode(content)
    },
    paths: () => [...entries.keys()].filter(path => entries.get(path)?.kind === 'file').sort(),
    rename: (from, to) => rename(clean(from), clean(to)),
  }
}

function clean(path: string): string {
  const normal = normalize(path)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

function encode(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
}

function counter(): () => number {
  let time = 0
  return () => ++time
}
