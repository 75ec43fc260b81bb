// A bare clone of each repository on this host. It has every branch and tag; work trees borrow its objects.
import { randomUUID } from 'node:crypto'
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import { hashText } from '../core/hash-text.ts'
import { isCommitId, transportOf, type Workspace } from '../core/run/workspace.ts'
import { RepriseError } from '../errors.ts'
import type { Git, GitAnswer } from '../runner/git.ts'
import { gitError, noRef } from './git-errors.ts'
import { type LockHolder, withLock } from './lock.ts'

export type CacheShelf = {
  readonly git: Git
  /** Where all caches of this host are. */
  readonly directory: string
  readonly holder: LockHolder
}

type Asked = { readonly repository: string; readonly signal?: AbortSignal | undefined }

/** A large repository may take its time, but not for ever. */
const MAX_FETCH_MS = 3_600_000

const ALL = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']

export function cachePath(
  { directory }: Pick<CacheShelf, 'directory'>,
  repository: string,
): string {
  return join(directory, `${hashText(repository).slice(0, 32)}.git`)
}

/** The commit of a ref, as the repository has it now. */
export async function commitOf(
  shelf: CacheShelf,
  { repository, ref, signal }: Asked & Pick<Workspace, 'ref'>,
): Promise<string> {
  if (ref !== null && isCommitId(ref)) return ref
  const names = namesOf(ref)
  const found = await remotely(shelf, { repository, signal }, [
    'ls-remote',
    '--quiet',
    '--',
    repository,
    ...names,
  ])
  const ids = new Map(found.stdout.toString('utf8').split('\n').flatMap(refLine))
  const commit = names.map(name => ids.get(name)).find(id => id !== undefined)
  if (commit === undefined || !isCommitId(commit)) throw noRef(repository, ref)
  return commit
}

/** Gives the path of a bare clone that holds the commit. Only one process at a time changes it. */
export async function cacheWith(
  shelf: CacheShelf,
  { repository, ref, commit, signal }: Asked & { readonly ref: string | null; commit: string },
): Promise<string> {
  const path = cachePath(shelf, repository)
  if (await holds(shelf, path, commit)) return used(path)
  await withLock(`${path}.lock`, { holder: shelf.holder, signal }, async () => {
    if (await holds(shelf, path, commit)) return
    await fetchInto(shelf, path, { repository, ref, commit, signal })
  })
  if (await holds(shelf, path, commit)) return used(path)
  throw noRef(repository, commit)
}

/** The time of a cache is when a work tree was last made from it. */
async function used(path: string): Promise<string> {
  const now = new Date()
  await disk.utimes(path, now, now)
  return path
}

/** A branch comes before a tag of the same name. The commit of an annotated tag is behind `^{}`. */
function namesOf(ref: string | null): readonly string[] {
  if (ref === null || ref === 'HEAD') return ['HEAD']
  if (ref.startsWith('refs/')) return [`${ref}^{}`, ref]
  return [`refs/heads/${ref}`, `refs/tags/${ref}^{}`, `refs/tags/${ref}`]
}

function refLine(line: string): readonly (readonly [string, string])[] {
  const [id = '', name = ''] = line.split('\t')
  return name === '' ? [] : [[name, id]]
}

async function holds({ git }: CacheShelf, path: string, commit: string): Promise<boolean> {
  const isThere = await disk.stat(join(path, 'HEAD')).catch(() => null) // There is no clone yet.
  if (isThere === null) return false
  const args = ['cat-file', '-e', `${commit}^{commit}`]
  return (await git({ cwd: path, args, plain: true })).code === 0
}

/** A new clone gets its name when it is whole, so a killed one is never taken for a clone. */
async function fetchInto(
  shelf: CacheShelf,
  path: string,
  wanted: Asked & { readonly ref: string | null; readonly commit: string },
): Promise<void> {
  const isNew = (await disk.stat(path).catch(() => null)) === null // The usual case at first.
  if (!isNew) {
    await removeLeftLocks(path)
    return fetchAll(shelf, path, wanted)
  }
  const draft = `${path}.${randomUUID()}.draft`
  try {
    await initBare(shelf, draft, wanted.commit)
    await fetchAll(shelf, draft, wanted)
    await disk.rename(draft, path)
  } finally {
    await disk.rm(draft, { recursive: true, force: true })
  }
}

async function initBare(shelf: CacheShelf, path: string, commit: string): Promise<void> {
  await disk.mkdir(path, { recursive: true, mode: 0o700 })
  const format = commit.length === 64 ? ['--object-format=sha256'] : []
  const args = ['init', '--quiet', '--bare', '--template=', ...format, '.']
  const { code, stderr } = await shelf.git({ cwd: path, args, plain: true })
  if (code !== 0) throw gitError(path, stderr)
}

/** Some servers give a commit only by a ref that leads to it, so the refs come first. */
async function fetchAll(
  shelf: CacheShelf,
  path: string,
  wanted: Asked & { readonly ref: string | null; readonly commit: string },
): Promise<void> {
  const { repository, ref, commit, signal } = wanted
  const fetching = (refs: readonly string[]) =>
    remotely(shelf, { repository, signal, cwd: path }, [
      'fetch',
      '--quiet',
      '--force',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      '--no-auto-gc',
      '--',
      repository,
      ...refs,
    ])
  await fetching(ALL)
  if (await holds(shelf, path, commit)) return
  if (ref?.startsWith('refs/')) await fetching([`+${ref}:${ref}`])
  if (await holds(shelf, path, commit)) return
  await fetching([commit]).catch(error => {
    // The server does not give it: the caller sees that it is not there.
    if (error instanceof RepriseError && error.code === 'cancelled') throw error
  })
}

async function remotely(
  { git, directory }: CacheShelf,
  { repository, signal, cwd }: Asked & { readonly cwd?: string },
  args: readonly string[],
): Promise<GitAnswer> {
  const transport = transportOf(repository)
  if (transport === null) throw new TypeError('the address of the repository was not checked')
  await disk.mkdir(directory, { recursive: true, mode: 0o700 })
  const answer = await git({
    cwd: cwd ?? directory,
    args,
    reach: [transport],
    maxMs: MAX_FETCH_MS,
    ...(signal && { signal }),
  })
  if (answer.code === 0) return answer
  throw gitError(repository, answer.stderr)
}

/** A killed git leaves its own locks; nobody but the holder of our lock writes there. */
async function removeLeftLocks(path: string): Promise<void> {
  for (const name of await disk.readdir(path, { recursive: true })) {
    if (!name.endsWith('.lock') || name.startsWith('objects')) continue
    await disk.rm(join(path, name), { force: true })
  }
}
