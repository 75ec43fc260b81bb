// Keeps what workspaces take on the disk within bounds. The work tree of a thread that exists is removed only when its owner says so.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import { RepriseError } from '../errors.ts'
import { isClaim } from './lock.ts'
import { readRecord, recordPath } from './record.ts'
import type { CacheShelf } from './repository-cache.ts'

export type Bounds = {
  readonly now: number
  /** What nobody has used for this long may go; `null`: nothing goes by its age. */
  readonly keepMs: number | null
  /** Unused caches go, the oldest first, until all caches together have at most this many bytes. */
  readonly maxBytes: number
  /** Whether the work tree of a thread may go: the thread is gone, or its work is over and kept elsewhere. */
  mayGo(threadId: string, usedAt: number): Promise<boolean>
}

export type WorkspacesSwept = {
  /** The ids of threads whose work trees were removed. */
  readonly trees: readonly string[]
  /** The names of caches that were removed. */
  readonly caches: readonly string[]
  readonly bytes: number
}

type Shelves = {
  readonly trees: string
  readonly shelf: CacheShelf
  /** One process at a time works on a work tree. */
  alone<T>(threadId: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

/** A killed process leaves a draft; a living one is done sooner. */
const DRAFT_MS = 2 * 3_600_000

export async function sweepShelves(shelves: Shelves, bounds: Bounds): Promise<WorkspacesSwept> {
  const { trees, shelf } = shelves
  const removed = await sweepTrees(shelves, bounds)
  const borrowed = await borrowedCaches(trees)
  const caches = await sweepCaches(shelf.directory, borrowed, bounds)
  return { trees: removed, ...caches }
}

async function sweepTrees(
  { trees, alone }: Pick<Shelves, 'trees' | 'alone'>,
  bounds: Bounds,
): Promise<readonly string[]> {
  const removed: string[] = []
  for (const name of await namesIn(trees)) {
    const path = join(trees, name)
    if (await isLeftover(path, name, bounds)) {
      await disk.rm(recordPath(path), { force: true })
      await disk.rm(path, { recursive: true, force: true })
      continue
    }
    if (!/^[A-Za-z0-9_]+$/.test(name)) continue
    const mayGo = async () => bounds.mayGo(name, (await timeOf(recordPath(path))) ?? 0)
    if (!(await mayGo())) continue
    // Asked once more with the lock: a run may have entered it meanwhile.
    const isGone = await unlessInUse(alone, name, async () => {
      if (!(await mayGo())) return false
      await disk.rm(recordPath(path), { force: true })
      await disk.rm(path, { recursive: true, force: true, maxRetries: 3 })
      return true
    })
    if (isGone) removed.push(name)
  }
  return removed
}

/** A work tree that another process works on is in use: the sweep does not wait for it. */
async function unlessInUse(
  alone: Shelves['alone'],
  name: string,
  remove: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await alone(name, remove, AbortSignal.abort())
  } catch (error) {
    if (error instanceof RepriseError && error.code === 'cancelled') return false
    throw error
  }
}

/** Drafts and claims of killed processes, and work trees that were moved aside long ago. */
async function isLeftover(path: string, name: string, { now, keepMs }: Bounds): Promise<boolean> {
  const isDraft = name.endsWith('.draft') || isClaim(name)
  if (!isDraft && !/\.left-[0-9a-f]{8}$/.test(name)) return false
  const at = await timeOf(path)
  const limit = isDraft ? DRAFT_MS : keepMs
  return at !== null && limit !== null && now - at > limit
}

/** A cache whose objects a work tree borrows must stay. */
async function borrowedCaches(trees: string): Promise<ReadonlySet<string>> {
  const borrowed = new Set<string>()
  for (const name of await namesIn(trees)) {
    if (!name.endsWith('.json')) continue
    const record = await readRecord(join(trees, name.slice(0, -'.json'.length)))
    for (const cache of record?.caches ?? []) borrowed.add(cache)
  }
  return borrowed
}

async function sweepCaches(
  directory: string,
  borrowed: ReadonlySet<string>,
  bounds: Bounds,
): Promise<Omit<WorkspacesSwept, 'trees'>> {
  const found: { name: string; at: number; bytes: number }[] = []
  for (const name of await namesIn(directory)) {
    const path = join(directory, name)
    if (await isLeftover(path, name, bounds)) {
      await disk.rm(path, { recursive: true, force: true })
    }
    if (!/^[0-9a-f]{32}\.git$/.test(name)) continue
    found.push({ name, at: (await timeOf(path)) ?? 0, bytes: await bytesIn(path) })
  }
  let bytes = found.reduce((sum, cache) => sum + cache.bytes, 0)
  const caches: string[] = []
  for (const cache of found.toSorted((a, b) => a.at - b.at)) {
    const unusedMs = bounds.now - cache.at
    // A work tree may be about to borrow from a cache that was just used.
    if (borrowed.has(cache.name) || unusedMs < DRAFT_MS) continue
    const isOld = bounds.keepMs !== null && unusedMs > bounds.keepMs
    if (!isOld && bytes <= bounds.maxBytes) continue
    await removeCache(directory, cache.name)
    bytes -= cache.bytes
    caches.push(cache.name)
  }
  return { caches, bytes }
}

/** Under another name first, so that nobody finds half of it. */
async function removeCache(directory: string, name: string): Promise<void> {
  const leaving = join(directory, `${name}.${process.pid}.draft`)
  await disk.rename(join(directory, name), leaving)
  await disk.rm(leaving, { recursive: true, force: true })
}

async function bytesIn(path: string): Promise<number> {
  let bytes = 0
  for (const entry of await disk.readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    bytes += (await disk.stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0 // Gone meanwhile.
  }
  return bytes
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return disk.readdir(directory).catch(() => []) // Nothing was made yet.
}

async function timeOf(path: string): Promise<number | null> {
  return disk.stat(path).then(
    stat => stat.mtimeMs,
    () => null, // Gone meanwhile.
  )
}
