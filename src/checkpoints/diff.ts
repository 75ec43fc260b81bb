// Compares two trees file by file, with patches. It works in a git directory of our own, so no filter, driver or
// config of the repository takes part. The number of files and the bytes that git reads and prints are bounded.
import type { FileDiff, TreeDiff } from '../core/job/file-diff.ts'
import type { Git, GitAnswer } from '../runner/git.ts'
import type { Repository } from './checkpoint.ts'
import { withPrivateIndex } from './private-index.ts'
import { asked, lineOf, splitZ } from './repository.ts'

export const MAX_FILES = 300
/** Git compares no file that is larger. */
const MAX_FILE_BYTES = 4 * 1024 * 1024
/** The sum over all files whose patches git makes. */
const MAX_READ_BYTES = 32 * 1024 * 1024
export const MAX_PATCH_CHARS = 64 * 1024
const MAX_PATCHES_CHARS = 1024 * 1024

/** Settings and options that keep paths literal and large files unread. */
const BEFORE = ['--literal-pathspecs', '-c', `core.bigFileThreshold=${MAX_FILE_BYTES}`, 'diff-tree']
const HOW = ['-r', '--no-renames', '--no-commit-id', '--no-ext-diff', '--no-textconv', '--no-color']

/** `from`: a commit or a tree; `null` for the empty tree. */
export function diffBetween(
  git: Git,
  repository: Repository,
  { from, to }: { readonly from: string | null; readonly to: string },
): Promise<TreeDiff> {
  return withPrivateIndex(git, repository, async privateDir => {
    const ask = (args: readonly string[], stdin = '') =>
      asked(git, { cwd: repository.root, privateDir, args, stdin })
    const trees = [from ?? (await emptyTree(ask)), to] as const
    const all = await changedEntries(ask, trees)
    const shown = all.slice(0, MAX_FILES)
    const lines = await lineCounts(ask, trees, shown)
    const patches = await patchesOf(ask, trees, await readable(ask, shown, lines))
    const files = shown.map(({ path, status }) => {
      const { added = null, removed = null } = lines.get(path) ?? {}
      return { path, status, added, removed, patch: patches.get(path) ?? null }
    })
    const isCut = files.some(file => file.patch === null && file.added !== null)
    return { files, truncated: all.length > shown.length || isCut }
  })
}

type Ask = (args: readonly string[], stdin?: string) => Promise<GitAnswer>
type Trees = readonly [string, string]
type Entry = Pick<FileDiff, 'path' | 'status'> & {
  readonly blobs: readonly string[]
  /** Git prints a file that became a link, or a link that became a file, as two patches. */
  readonly patchCount: 1 | 2
}
type Lines = ReadonlyMap<string, { readonly added: number; readonly removed: number }>

async function emptyTree(ask: Ask): Promise<string> {
  return lineOf(await ask(['hash-object', '-t', 'tree', '--stdin'])) ?? ''
}

const STATUS: Readonly<Record<string, FileDiff['status']>> = { A: 'added', D: 'removed' }

/** Each entry is `:<mode> <mode> <blob> <blob> <status>` and a path. */
async function changedEntries(ask: Ask, trees: Trees): Promise<readonly Entry[]> {
  const { stdout } = await ask([...BEFORE, ...HOW, '--raw', '--no-abbrev', '-z', ...trees])
  const fields = splitZ(stdout)
  const entries: Entry[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, , before = '', after = '', letter = ''] = (fields[at] ?? '').split(' ')
    entries.push({
      path: fields[at + 1] ?? '',
      status: STATUS[letter] ?? 'changed',
      blobs: [before, after].filter(id => !/^0+$/.test(id)),
      patchCount: letter === 'T' ? 2 : 1,
    })
  }
  return entries
}

/** Binary files have no lines. A path that is not UTF-8 cannot be named to git, and is left out too. */
async function lineCounts(ask: Ask, trees: Trees, entries: readonly Entry[]): Promise<Lines> {
  if (entries.length === 0) return new Map()
  const paths = entries.map(entry => entry.path)
  const { stdout } = await ask([...BEFORE, ...HOW, '--numstat', '-z', ...trees, '--', ...paths])
  return new Map(
    splitZ(stdout).flatMap(line => {
      const [added = '-', removed = '-', ...path] = line.split('\t')
      if (added === '-') return []
      return [[path.join('\t'), { added: Number(added), removed: Number(removed) }] as const]
    }),
  )
}

/** The text files whose patches git may make within the bounds, in order. */
async function readable(
  ask: Ask,
  entries: readonly Entry[],
  lines: Lines,
): Promise<readonly Entry[]> {
  const texts = entries.filter(entry => lines.has(entry.path))
  const ids = [...new Set(texts.flatMap(entry => entry.blobs))]
  const format = '--batch-check=%(objectname) %(objectsize)'
  const { stdout } = await ask(['cat-file', format], ids.map(id => `${id}\n`).join(''))
  const sizes = new Map(
    stdout
      .toString('utf8')
      .split('\n')
      .map(line => line.split(' '))
      // A submodule's commit is missing here; git prints one line for it.
      .map(([id = '', size]) => [id, size === 'missing' ? 0 : Number(size)] as const),
  )
  let left = MAX_READ_BYTES
  return texts.filter(({ blobs }) => {
    const bytes = blobs.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0)
    if (bytes > left) return false
    left -= bytes
    return true
  })
}

/** Git prints patches in the order of its list of changes. */
async function patchesOf(
  ask: Ask,
  trees: Trees,
  entries: readonly Entry[],
): Promise<ReadonlyMap<string, string>> {
  if (entries.length === 0) return new Map()
  const paths = entries.map(entry => entry.path)
  const { stdout } = await ask([...BEFORE, ...HOW, '-p', ...trees, '--', ...paths])
  // A line of content begins with a space, a sign or a backslash, so only headers match.
  const pieces = stdout.toString('utf8').split(/^(?=diff --git )/m)
  const patches = new Map<string, string>()
  let left = MAX_PATCHES_CHARS
  let at = 0
  for (const { path, patchCount } of entries) {
    const patch = pieces.slice(at, at + patchCount).join('')
    at += patchCount
    if (patch.length > Math.min(left, MAX_PATCH_CHARS)) continue
    left -= patch.length
    patches.set(path, patch)
  }
  return patches
}
