// Checks out the submodules of a work tree by the same rules as the repository itself.
import { promises as disk } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  isCommitId,
  repositoryProblem,
  submoduleAddress,
  transportOf,
} from '../core/run/workspace.ts'
import { RepriseError } from '../errors.ts'
import type { Git } from '../runner/git.ts'
import { gitError } from './git-errors.ts'
import { type CacheShelf, cacheWith } from './repository-cache.ts'
import { makeTree } from './work-tree.ts'

type Around = {
  /** The work tree that holds the submodules. */
  readonly directory: string
  readonly repository: string
  readonly commit: string
  readonly signal?: AbortSignal | undefined
}

type Submodule = { readonly path: string; readonly commit: string; readonly repository: string }

/** Submodules in submodules, and so on; git itself has no limit. */
const MAX_DEPTH = 8
const MAX_SUBMODULES = 200

/** Gives the caches whose objects they borrow. */
export async function checkoutSubmodules(
  shelf: CacheShelf,
  around: Around,
  depth = 0,
): Promise<readonly string[]> {
  const found = await submodulesOf(shelf.git, around)
  const caches: string[] = []
  const isDeep = depth === MAX_DEPTH && found.length > 0
  if (isDeep || found.length > MAX_SUBMODULES) throw tooMany(around.repository)
  for (const submodule of found) {
    const { path, commit, repository } = submodule
    const { signal } = around
    const directory = join(around.directory, path)
    const cache = await cacheWith(shelf, { repository, ref: null, commit, signal }).catch(error => {
      throw notFetched(error, { around, submodule })
    })
    await makeRoom(around.directory, path)
    const inside = await makeTree(shelf.git, { directory, repository, cache, commit }, draft =>
      checkoutSubmodules(shelf, { directory: draft, repository, commit, signal }, depth + 1),
    )
    caches.push(basename(cache), ...inside)
  }
  return caches
}

/** Git leaves an empty directory in the place of a submodule. A link there could lead anywhere, so nothing is made through one. */
async function makeRoom(root: string, path: string): Promise<void> {
  const place = join(root, path)
  for (let at = dirname(place); at.length > root.length; at = dirname(at)) {
    const stat = await disk.lstat(at).catch(() => null) // It is missing, and will be made.
    if (stat !== null && !stat.isDirectory()) throw badPlace(path)
  }
  await disk.mkdir(dirname(place), { recursive: true })
  const stat = await disk.lstat(place).catch(() => null) // As it should be.
  if (stat === null) return
  if (!stat.isDirectory()) throw badPlace(path)
  await disk.rmdir(place)
}

async function submodulesOf(
  git: Git,
  { directory, repository, commit }: Around,
): Promise<readonly Submodule[]> {
  const tree = await git({ cwd: directory, args: ['ls-tree', '-r', '-z', commit], plain: true })
  if (tree.code !== 0) throw gitError(repository, tree.stderr)
  const links = tree.stdout
    .toString('utf8')
    .split('\0')
    .filter(line => line.startsWith('160000 '))
  if (links.length === 0) return []
  const urls = await urlsOf(git, directory, commit)
  return links.map(line => {
    const path = line.slice(line.indexOf('\t') + 1)
    const id = line.split(/[ \t]/)[2] ?? ''
    const url = urls.get(path)
    if (url === undefined || !isCommitId(id)) throw noAddress(repository, path)
    return { path, commit: id, repository: checkedAddress(repository, { path, url }) }
  })
}

/** Reads `.gitmodules` of the commit as data: by path, the address. */
async function urlsOf(
  git: Git,
  directory: string,
  commit: string,
): Promise<ReadonlyMap<string, string>> {
  const blob = ['config', '--blob', `${commit}:.gitmodules`, '--no-includes', '-z', '--list']
  const { code, stdout } = await git({ cwd: directory, args: blob, plain: true })
  const paths = new Map<string, string>()
  const urls = new Map<string, string>()
  if (code !== 0) return urls
  for (const entry of stdout.toString('utf8').split('\0')) {
    const [key = '', value = ''] = splitOnce(entry, '\n')
    const name = /^submodule\.(.*)\.(path|url)$/s.exec(key)
    if (name?.[2] === 'path') paths.set(name[1] ?? '', value)
    if (name?.[2] === 'url') urls.set(name[1] ?? '', value)
  }
  return new Map(
    [...paths].flatMap(([name, path]) => {
      const url = urls.get(name)
      return url === undefined ? [] : [[path, url]]
    }),
  )
}

/** A repository from elsewhere must not bring files of this host into its work tree. */
function checkedAddress(
  around: string,
  { path, url }: { readonly path: string; readonly url: string },
): string {
  const address = submoduleAddress(around, url)
  const problem = repositoryProblem(address)
  const isLocal = transportOf(address) === 'file' && transportOf(around) !== 'file'
  if (problem === null && !isLocal) return address
  const why = problem?.what ?? 'it is a path of this host, and the repository is not'
  throw new RepriseError(
    'bad-input',
    `the submodule ${JSON.stringify(path)} of ${around} has an address that Reprise refuses: ${why}`,
    problem?.hint ?? 'Give the submodule an address that every host can reach.',
  )
}

function notFetched(
  error: unknown,
  { around, submodule }: { readonly around: Around; readonly submodule: Submodule },
): unknown {
  if (!(error instanceof RepriseError)) return error
  const what = `the submodule ${JSON.stringify(submodule.path)} of ${around.repository}: ${error.message}`
  return new RepriseError(error.code, what, error.hint, error)
}

function noAddress(repository: string, path: string): RepriseError {
  const what = `${repository} has a submodule ${JSON.stringify(path)} without an address in .gitmodules`
  return new RepriseError('not-found', what, 'Add it to .gitmodules, or remove the submodule.')
}

function tooMany(repository: string): RepriseError {
  const what = `${repository} has more than ${MAX_SUBMODULES} submodules, or more than ${MAX_DEPTH} inside each other`
  return new RepriseError('too-large', what, 'Work in a directory instead: `--cwd DIR`.')
}

function badPlace(path: string): RepriseError {
  const what = `something else is in the place of the submodule ${JSON.stringify(path)}`
  return new RepriseError('conflict', what, 'Look at the repository: its tree is not sound.')
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}
