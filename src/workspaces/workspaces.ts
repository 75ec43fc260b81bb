// Work trees of repositories on this host: one for each thread, made when a run needs it. The caller's own checkout is never touched.
import { randomUUID } from 'node:crypto'
import { promises as disk } from 'node:fs'
import { basename, join } from 'node:path'
import type { Workspace } from '../core/run/workspace.ts'
import type { Git } from '../runner/git.ts'
import { type LockHolder, withLock } from './lock.ts'
import { readRecord, recordPath, type WorkspaceRecord, writeRecord } from './record.ts'
import { type CacheShelf, cacheWith, commitOf } from './repository-cache.ts'
import { checkoutSubmodules } from './submodules.ts'
import { type Bounds, sweepShelves, type WorkspacesSwept } from './sweep.ts'
import { makeTree } from './work-tree.ts'

export type WantedTree = {
  /** The id of the thread. */
  readonly id: string
  readonly repository: string
  readonly ref: string | null
  readonly commit: string
  readonly signal?: AbortSignal | undefined
}

export type Workspaces = {
  /** Where the work tree of a thread is on this host, made or not. */
  pathOf(id: string): string
  /** Where the cache of this name is. */
  cachePath(name: string): string
  /** The commit of the ref, as the repository has it now. */
  commitOf(workspace: Pick<Workspace, 'repository' | 'ref'>, signal?: AbortSignal): Promise<string>
  /** What is here of a work tree; `null` when it is not here, or not whole. */
  find(id: string): Promise<WorkspaceRecord | null>
  /** Makes the work tree. What is in its place is moved aside and stays until a sweep; gives where to. */
  make(wanted: WantedTree): Promise<{ readonly movedTo: string | null }>
  /** Notes what changed, and that the work tree is in use. */
  note(id: string, change: Partial<Pick<WorkspaceRecord, 'kept' | 'news'>>): Promise<void>
  /** One process at a time works on the work tree. */
  alone<T>(id: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Removes the work tree of a thread that is gone. */
  remove(id: string): Promise<void>
  /** Removes what is over, and caches that are too much. */
  sweep(bounds: Bounds): Promise<WorkspacesSwept>
}

type Opened = { readonly git: Git; readonly directory: string; readonly holder: LockHolder }

/** `directory`: our data directory, as its real path. */
export function openWorkspaces({ git, directory, holder }: Opened): Workspaces {
  const trees = join(directory, 'workspaces')
  const shelf: CacheShelf = { git, directory: join(directory, 'repositories'), holder }
  const pathOf = (id: string) => join(trees, checkedId(id))
  const alone: Workspaces['alone'] = (id, work, signal) =>
    withLock(`${pathOf(id)}.lock`, { holder, signal }, work)
  return {
    pathOf,
    cachePath: name => join(shelf.directory, name),
    commitOf: ({ repository, ref }, signal) => commitOf(shelf, { repository, ref, signal }),
    find: async id => {
      const record = await readRecord(pathOf(id))
      const isThere = await disk.stat(join(pathOf(id), '.git')).catch(() => null) // It was never made.
      return isThere === null ? null : record
    },
    make: wanted => make(shelf, pathOf(wanted.id), wanted),
    note: async (id, change) => {
      const record = await readRecord(pathOf(id))
      if (record) await writeRecord(pathOf(id), { ...record, ...change })
    },
    alone,
    remove: async id => {
      await disk.rm(recordPath(pathOf(id)), { force: true })
      await disk.rm(pathOf(id), { recursive: true, force: true, maxRetries: 3 })
    },
    sweep: bounds => sweepShelves({ trees, shelf, alone }, bounds),
  }
}

async function make(
  shelf: CacheShelf,
  directory: string,
  { repository, ref, commit, signal }: WantedTree,
): Promise<{ readonly movedTo: string | null }> {
  const cache = await cacheWith(shelf, { repository, ref, commit, signal })
  const movedTo = await moveAside(directory)
  const inside = await makeTree(shelf.git, { directory, repository, cache, commit }, draft =>
    checkoutSubmodules(shelf, { directory: draft, repository, commit, signal }),
  )
  const caches = [...new Set([basename(cache), ...inside])]
  await writeRecord(directory, { repository, commit, kept: null, caches, news: null })
  return { movedTo }
}

async function moveAside(directory: string): Promise<string | null> {
  const isThere = await disk.lstat(directory).catch(() => null) // The usual case.
  if (isThere === null) return null
  const aside = `${directory}.left-${randomUUID().slice(0, 8)}`
  await disk.rename(recordPath(directory), recordPath(aside)).catch(() => {}) // It has none.
  await disk.rename(directory, aside)
  const now = new Date()
  await disk.utimes(aside, now, now)
  return aside
}

/** Ids are ours; nothing else becomes part of a path. */
function checkedId(id: string): string {
  if (/^[A-Za-z0-9_]{1,128}$/.test(id)) return id
  throw new TypeError(`${id} is not the id of a thread`)
}
