// The work tree as a git tree, byte for byte: tracked files and new ones, without what is ignored. The user's index is only read.
import { promises as disk } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RepriseError } from '../errors.ts'
import type { Git } from '../runner/git.ts'
import type { Repository } from './checkpoint.ts'
import { asked, lineOf, splitZ } from './repository.ts'

export type Limits = {
  readonly maxFiles: number
  readonly maxFileBytes: number
  readonly maxBytes: number
}

export const SNAPSHOT_LIMITS: Limits = {
  maxFiles: 100_000,
  maxFileBytes: 64 * 1024 * 1024,
  maxBytes: 2 * 1024 * 1024 * 1024,
}

export type Snapshot = { readonly tree: string; readonly notKept: readonly string[] }

/** A path as the index has it; `mode` is null for a new file. */
type Listed = {
  readonly path: string
  readonly mode: string | null
  readonly blob: string | null
  /** Left out of the work tree on purpose (sparse checkout): absent does not mean deleted. */
  readonly isSparse: boolean
}

type Entry =
  | { readonly kind: 'known'; readonly path: string; readonly mode: string; readonly blob: string }
  | { readonly kind: 'file'; readonly path: string; readonly mode: string; readonly bytes: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: Buffer }
  | { readonly kind: 'not-kept'; readonly path: string }

const AT_ONCE = 64

export async function snapshot(
  git: Git,
  repository: Repository,
  limits: Limits = SNAPSHOT_LIMITS,
): Promise<Snapshot> {
  const listed = await listPaths(git, repository)
  if (listed.length > limits.maxFiles) throw tooLarge(`${listed.length} files`)
  const entries = await lookAtAll(git, repository, { listed, limits })
  const bytes = entries.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.bytes : 0), 0)
  if (bytes > limits.maxBytes) throw tooLarge(`${Math.round(bytes / 1024 / 1024)} MB`)
  const blobs = await storeBlobs(git, repository, entries)
  const lines = entries.flatMap(entry => {
    const stored = blobs.get(entry.path)
    return stored ? [`${stored.mode} ${stored.blob}\t${entry.path}\0`] : []
  })
  const tree = await writeTree(git, repository, lines.join(''))
  const notKept = entries.filter(entry => entry.kind === 'not-kept').map(entry => entry.path)
  return { tree, notKept }
}

async function listPaths(git: Git, { root }: Repository): Promise<readonly Listed[]> {
  const tracked = await asked(git, { cwd: root, args: ['ls-files', '-z', '-t', '--stage'] })
  const others = await asked(git, {
    cwd: root,
    args: ['ls-files', '-z', '--others', '--exclude-standard'],
  })
  const paths = new Map<string, Listed>()
  for (const line of splitZ(tracked.stdout)) {
    const path = line.slice(line.indexOf('\t') + 1)
    const [tag = '', mode = '', blob = ''] = line.slice(0, line.indexOf('\t')).split(' ')
    paths.set(path, { path, mode, blob, isSparse: tag === 'S' })
  }
  for (const path of splitZ(others.stdout)) {
    paths.set(path, { path, mode: null, blob: null, isSparse: false })
  }
  return [...paths.values()]
}

async function lookAtAll(
  git: Git,
  repository: Repository,
  { listed, limits }: { listed: readonly Listed[]; limits: Limits },
): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let at = 0; at < listed.length; at += AT_ONCE) {
    const some = listed.slice(at, at + AT_ONCE)
    const looked = await Promise.all(some.map(item => look(git, repository, { item, limits })))
    entries.push(...looked.filter(entry => entry !== null))
  }
  return entries
}

/** `null`: it is not there any more. */
async function look(
  git: Git,
  { root }: Repository,
  { item, limits }: { item: Listed; limits: Limits },
): Promise<Entry | null> {
  const { path, mode, blob, isSparse } = item
  const place = join(root, path)
  const stat = await disk.lstat(place).catch(() => null) // Deleted, or no UTF-8: either way it cannot be read.
  if (stat === null) {
    if (isSparse && mode && blob) return { kind: 'known', path, mode, blob }
    return path.includes('\u{fffd}') ? { kind: 'not-kept', path } : null
  }
  if (stat.isSymbolicLink()) {
    return { kind: 'link', path, target: await disk.readlink(place, { encoding: 'buffer' }) }
  }
  if (stat.isDirectory() && mode === '160000' && blob) {
    const head = await git({ cwd: place, args: ['rev-parse', '--verify', '--quiet', 'HEAD'] })
    return { kind: 'known', path, mode, blob: lineOf(head) ?? blob }
  }
  if (!stat.isFile() || stat.size > limits.maxFileBytes) return { kind: 'not-kept', path }
  return { kind: 'file', path, mode: stat.mode & 0o100 ? '100755' : '100644', bytes: stat.size }
}

type Blobs = ReadonlyMap<string, { readonly mode: string; readonly blob: string }>

/** Without filters: what lies in the work dir is what is kept, and no driver of the repository runs. */
async function storeBlobs(
  git: Git,
  { root }: Repository,
  entries: readonly Entry[],
): Promise<Blobs> {
  const blobs = new Map<string, { mode: string; blob: string }>()
  const store = ['hash-object', '-w', '--no-filters']
  const files = entries.filter(entry => entry.kind === 'file')
  const lines = files.filter(({ path }) => !path.includes('\n'))
  const { stdout } = await asked(git, {
    cwd: root,
    args: [...store, '--stdin-paths'],
    stdin: lines.map(({ path }) => `./${path}\n`).join(''),
  })
  const hashes = stdout.toString('utf8').split('\n')
  for (const [index, { path, mode }] of lines.entries()) {
    blobs.set(path, { mode, blob: hashes[index] ?? '' })
  }
  for (const { path, mode } of files.filter(file => file.path.includes('\n'))) {
    const answer = await asked(git, { cwd: root, args: [...store, '--', `./${path}`] })
    blobs.set(path, { mode, blob: lineOf(answer) ?? '' })
  }
  for (const entry of entries) {
    if (entry.kind === 'known') blobs.set(entry.path, { mode: entry.mode, blob: entry.blob })
    if (entry.kind !== 'link') continue
    const answer = await asked(git, { cwd: root, args: [...store, '--stdin'], stdin: entry.target })
    blobs.set(entry.path, { mode: '120000', blob: lineOf(answer) ?? '' })
  }
  return blobs
}

const INDEX_PREFIX = 'reprise-index-'
/** No tree takes that long to write. */
const INDEX_AGE_MS = 3_600_000

/** Index files of processes that were killed while they wrote a tree. By the time of the disk, whatever clock we have. */
export async function removeOldIndexes(): Promise<void> {
  for (const name of await disk.readdir(tmpdir())) {
    if (!name.startsWith(INDEX_PREFIX)) continue
    const directory = join(tmpdir(), name)
    const stat = await disk.lstat(directory).catch(() => null) // Somebody was faster.
    const isOurs = stat?.isDirectory() === true && stat.uid === process.getuid?.()
    if (isOurs && stat.mtimeMs < Date.now() - INDEX_AGE_MS)
      await disk.rm(directory, { recursive: true, force: true })
  }
}

async function writeTree(git: Git, { root }: Repository, lines: string): Promise<string> {
  const directory = await disk.mkdtemp(join(tmpdir(), INDEX_PREFIX))
  try {
    const indexFile = join(directory, 'index')
    const args = ['update-index', '-z', '--index-info']
    await asked(git, { cwd: root, args, stdin: lines, indexFile })
    const answer = await asked(git, { cwd: root, args: ['write-tree'], indexFile })
    return lineOf(answer) ?? ''
  } finally {
    await disk.rm(directory, { recursive: true, force: true })
  }
}

function tooLarge(what: string): RepriseError {
  const hint = 'Submit the job without checkpoints, or put what is generated into .gitignore.'
  return new RepriseError('too-large', `the work dir is too large for checkpoints: ${what}`, hint)
}
