// Finds files whose bytes in the work dir differ from those that git stores: filters, encodings, line ends.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import type { Git } from '../runner/git.ts'
import type { Repository } from './checkpoint.ts'
import { asked, lineOf, splitZ } from './repository.ts'

export type Tracked = { readonly path: string; readonly blob: string }

/** These attributes may change bytes without changing the size. */
const FREELY = ['filter', 'working-tree-encoding']
/** These attributes add or remove bytes, or do nothing. */
const BY_SIZE = ['text', 'eol', 'crlf', 'ident']
const AT_ONCE = 64

/** Asks for attributes and sizes only; no filter is run. */
export async function convertedPaths(
  git: Git,
  repository: Repository,
  tracked: readonly Tracked[],
): Promise<readonly string[]> {
  const attributes = await attributesOf(git, repository, tracked)
  const autocrlf = await git({ cwd: repository.root, args: ['config', '--get', 'core.autocrlf'] })
  const convertsAll = !['false', null].includes(lineOf(autocrlf))
  const has = (path: string, names: readonly string[]) =>
    names.some(name => attributes.get(path)?.has(name))
  const freely = tracked.filter(({ path }) => has(path, FREELY))
  const bySize = tracked.filter(
    ({ path }) => !has(path, FREELY) && (convertsAll || has(path, BY_SIZE)),
  )
  const resized = await resizedPaths(git, repository, bySize)
  return [...freely.map(({ path }) => path), ...resized]
}

/** Path → names of the attributes that are set for it or have a value. */
async function attributesOf(
  git: Git,
  { root }: Repository,
  tracked: readonly Tracked[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const stdin = tracked.map(({ path }) => `${path}\0`).join('')
  const args = ['check-attr', '--stdin', '-z', '--all']
  const fields = splitZ((await asked(git, { cwd: root, args, stdin })).stdout)
  const found = new Map<string, Set<string>>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', name = '', value = ''] = fields.slice(at, at + 3)
    if (value === 'unset' || value === 'unspecified') continue
    const names = found.get(path) ?? new Set()
    found.set(path, names.add(name))
  }
  return found
}

async function resizedPaths(
  git: Git,
  { root }: Repository,
  tracked: readonly Tracked[],
): Promise<readonly string[]> {
  if (tracked.length === 0) return []
  const { stdout } = await asked(git, {
    cwd: root,
    args: ['cat-file', '--batch-check=%(objectsize)'],
    stdin: tracked.map(({ blob }) => `${blob}\n`).join(''),
  })
  const sizes = stdout.toString('latin1').split('\n')
  const resized: string[] = []
  for (let at = 0; at < tracked.length; at += AT_ONCE) {
    const some = tracked.slice(at, at + AT_ONCE)
    // A removed file counts as changed anyway.
    const stats = await Promise.all(
      some.map(({ path }) => disk.lstat(join(root, path)).catch(() => null)),
    )
    for (const [index, { path }] of some.entries()) {
      if (stats[index]?.size !== Number(sizes[at + index])) resized.push(path)
    }
  }
  return resized
}
