// The work tree as a git tree, byte for byte: tracked and new files, without ignored ones. The user's index is only read.
// Files that git knows to be unchanged come from a copy of that index; only the others are read.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import { RepriseError } from '../errors.ts'
import type { Git } from '../runner/git.ts'
import type { Repository } from './checkpoint.ts'
import { convertedPaths } from './converted.ts'
import { withPrivateIndex } from './private-index.ts'
import { asked, lineOf, splitZ } from './repository.ts'
import { type File, knownFiles, pathsOf, writeTree } from './write-tree.ts'

export type Snapshot = { readonly tree: string; readonly notKept: readonly string[] }

/** Limits for new content; content that git already has does not count. */
export type SnapshotLimits = {
  readonly maxFiles: number
  readonly maxFileBytes: number
  readonly maxBytes: number
}

const SNAPSHOT_LIMITS: SnapshotLimits = {
  maxFiles: 100_000,
  maxFileBytes: 64 * 1024 * 1024,
  maxBytes: 2 * 1024 * 1024 * 1024,
}

/** A path as the index has it. */
type Entry = {
  readonly path: string
  readonly mode: string
  readonly blob: string
  /** Git does not check this path: it is assumed unchanged, or left out of the work tree (sparse checkout). */
  readonly hidden: 'assumed' | 'sparse' | null
}

type Looked = {
  readonly files: readonly File[]
  readonly links: readonly string[]
  readonly gone: readonly string[]
  readonly notKept: readonly string[]
}

const AT_ONCE = 64
const SUBMODULE = '160000'

export async function snapshot(
  git: Git,
  repository: Repository,
  limits: SnapshotLimits = SNAPSHOT_LIMITS,
): Promise<Snapshot> {
  const { root } = repository
  const entries = await trackedEntries(git, repository)
  const args = ['ls-files', '-z', '--others', '--exclude-standard']
  const others = splitZ((await asked(git, { cwd: root, args })).stdout)
  return withPrivateIndex(git, repository, async privateDir => {
    const inside: Git = call => git({ ...call, privateDir })
    await showHidden(inside, repository, entries)
    const { changed, removed } = await changesOf(inside, repository)
    const files = entries.filter(({ mode }) => mode === '100644' || mode === '100755')
    const converted = await convertedPaths(git, repository, files)
    const modules = entries.filter(({ mode }) => mode === SUBMODULE)
    const elsewhere = new Set([...removed, ...modules.map(({ path }) => path)])
    const paths = [...new Set([...changed, ...converted, ...others])].filter(
      path => !elsewhere.has(path),
    )
    if (paths.length > limits.maxFiles) throw tooLarge(`${paths.length} files to store`)
    const looked = await lookAtAll(root, paths, limits)
    const known = await knownFiles(git, repository, looked.files)
    const submodules = await movedSubmodules(git, repository, modules)
    // Git does not read a file again that looks unchanged, so it must forget those whose content in the index is converted.
    const gone = [...removed, ...looked.gone, ...converted].map(path => removal(repository, path))
    const lines = [...gone, ...submodules, ...known.lines]
    const work = { lines, links: looked.links, files: known.others }
    const tree = await writeTree(inside, privateDir, work)
    return { tree, notKept: looked.notKept }
  })
}

async function trackedEntries(git: Git, { root }: Repository): Promise<readonly Entry[]> {
  const { stdout } = await asked(git, { cwd: root, args: ['ls-files', '-z', '-v', '--stage'] })
  return splitZ(stdout).map(line => {
    const path = line.slice(line.indexOf('\t') + 1)
    const [tag = '', mode = '', blob = ''] = line.slice(0, line.indexOf('\t')).split(' ')
    const isSparse = tag.toUpperCase() === 'S'
    const isAssumed = tag !== tag.toUpperCase()
    return { path, mode, blob, hidden: isSparse ? 'sparse' : isAssumed ? 'assumed' : null }
  })
}

/** An existing hidden file is stored as it is; a missing sparse file is not deleted. */
async function showHidden(
  inside: Git,
  { root }: Repository,
  entries: readonly Entry[],
): Promise<void> {
  const sparse: string[] = []
  for (const { path, hidden } of entries) {
    if (hidden !== 'sparse') continue
    if (await disk.lstat(join(root, path)).catch(() => null)) sparse.push(path) // Most are not there.
  }
  const assumed = entries.filter(({ hidden }) => hidden !== null).map(({ path }) => path)
  const show = async (flag: string, paths: readonly string[]) => {
    if (paths.length === 0) return
    const args = ['update-index', flag, '-z', '--stdin']
    await asked(inside, { cwd: root, args, stdin: pathsOf(paths) })
  }
  await show('--no-assume-unchanged', assumed)
  await show('--no-skip-worktree', sparse)
}

/** Uses what the index knows of each file. The path of a removed file may lead through a link now, and must not be read. */
async function changesOf(
  inside: Git,
  { root }: Repository,
): Promise<{ readonly changed: readonly string[]; readonly removed: readonly string[] }> {
  const args = ['diff-files', '-z', '--name-status', '--no-renames', '--ignore-submodules=all']
  const fields = splitZ((await asked(inside, { cwd: root, args })).stdout)
  const changed: string[] = []
  const removed: string[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [status, path = ''] = fields.slice(at, at + 2)
    if (status === 'D') removed.push(path)
    else changed.push(path)
  }
  return { changed, removed }
}

async function movedSubmodules(
  git: Git,
  repository: Repository,
  modules: readonly Entry[],
): Promise<readonly string[]> {
  const lines: string[] = []
  for (const { path, blob } of modules) {
    const cwd = join(repository.root, path)
    const stat = await disk.lstat(cwd).catch(() => null) // Not there.
    if (!stat?.isDirectory()) {
      lines.push(removal(repository, path))
      continue
    }
    const head = await git({ cwd, args: ['rev-parse', '--verify', '--quiet', 'HEAD'] })
    const now = lineOf(head)
    if (now !== null && now !== blob) lines.push(`${SUBMODULE} ${now}\t${path}\0`)
  }
  return lines
}

async function lookAtAll(
  root: string,
  paths: readonly string[],
  limits: SnapshotLimits,
): Promise<Looked> {
  const looked = { files: [] as File[], links: [] as string[], gone: [] as string[] }
  const notKept: string[] = []
  let bytes = 0
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE)
    const stats = await Promise.all(
      some.map(path => disk.lstat(join(root, path)).catch(() => null)), // It was removed, or its name is not UTF-8.
    )
    for (const [index, path] of some.entries()) {
      const stat = stats[index]
      if (stat?.isFile() && stat.size <= limits.maxFileBytes) {
        bytes += stat.size
        const mode = stat.mode & 0o100 ? '100755' : '100644'
        looked.files.push({ path, mode, bytes: stat.size })
      } else if (stat?.isSymbolicLink()) looked.links.push(path)
      else {
        looked.gone.push(path)
        if (stat || path.includes('\u{fffd}')) notKept.push(path)
      }
    }
  }
  if (bytes > limits.maxBytes) throw tooLarge(`${Math.round(bytes / 1024 / 1024)} MB to store`)
  return { ...looked, notKept }
}

function removal({ objectFormat }: Repository, path: string): string {
  return `0 ${'0'.repeat(objectFormat === 'sha1' ? 40 : 64)}\t${path}\0`
}

function tooLarge(what: string): RepriseError {
  const hint = 'Submit the job with `--no-checkpoints`, or add generated files to .gitignore.'
  return new RepriseError('too-large', `the work dir is too large for checkpoints: ${what}`, hint)
}
