// A git directory of our own. It has a copy of the user's index, uses the user's objects, and takes one setting from the user's config:
// who may write objects. Git still knows the unchanged files there, but it converts nothing, runs nothing and writes only objects.
import { promises as disk } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Git, PrivateDir } from '../runner/git.ts'
import type { Repository } from './checkpoint.ts'
import { lineOf } from './repository.ts'

const PREFIX = 'reprise-index-'
/** Every checkpoint is done sooner. */
const LEFT_BEHIND_MS = 3_600_000

/** These attributes win over the repository's, so that git stores the bytes of the work dir as they are. */
const AS_IT_IS = '* -text -eol -crlf -ident -filter -working-tree-encoding\n'

/** The values that git accepts for `core.sharedRepository`. */
const SHARING = /^(umask|group|all|world|everybody|true|false|yes|no|on|off|[0-7]{1,4})$/i

export async function withPrivateIndex<T>(
  git: Git,
  repository: Repository,
  use: (directory: PrivateDir) => Promise<T>,
): Promise<T> {
  const gitDir = await disk.mkdtemp(join(tmpdir(), PREFIX))
  try {
    await fill(gitDir, repository, await sharingOf(git, repository))
    const objects = join(repository.commonDir, 'objects')
    return await use({ gitDir, workTree: repository.root, objects })
  } finally {
    await disk.rm(gitDir, { recursive: true, force: true })
  }
}

/** Who else may write into the user's objects. */
async function sharingOf(git: Git, { root: cwd }: Repository): Promise<string> {
  const value = lineOf(await git({ cwd, args: ['config', '--get', 'core.sharedRepository'] }))
  return value !== null && SHARING.test(value) ? value : 'umask'
}

async function fill(
  gitDir: string,
  { gitDir: theirs, objectFormat }: Repository,
  sharing: string,
): Promise<void> {
  for (const name of ['refs', 'objects', 'info']) await disk.mkdir(join(gitDir, name))
  const isPlain = objectFormat === 'sha1'
  const extension = isPlain ? '' : `[extensions]\n\tobjectFormat = ${objectFormat}\n`
  const core = `[core]\n\trepositoryFormatVersion = ${isPlain ? 0 : 1}\n\tsharedRepository = ${sharing}\n`
  await disk.writeFile(join(gitDir, 'config'), core + extension)
  await disk.writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n')
  await disk.writeFile(join(gitDir, 'info', 'attributes'), AS_IT_IS)
  // A split index names another file that holds most of it.
  const names = await disk.readdir(theirs)
  for (const name of names.filter(isIndex)) await copy(join(theirs, name), join(gitDir, name))
}

const isIndex = (name: string) => name === 'index' || /^sharedindex\.[0-9a-f]+$/.test(name)

/**
 * The copy keeps the time of the index, or a moment earlier. Git reads a file that is as old as the index, because it
 * may have changed. With a later time git would miss a change right after the index was written.
 */
async function copy(from: string, to: string): Promise<void> {
  const { mtimeNs } = await disk.stat(from, { bigint: true })
  await disk.copyFile(from, to)
  const seconds = Number(mtimeNs - 2_000n) / 1e9
  await disk.utimes(to, seconds, seconds)
}

/** Removes directories of killed processes. Their age counts by the clock of the disk, not by ours. */
export async function removeOldIndexes(): Promise<void> {
  for (const name of await disk.readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue
    const directory = join(tmpdir(), name)
    const stat = await disk.lstat(directory).catch(() => null) // Another process removed it.
    const isOurs = stat?.isDirectory() === true && stat.uid === process.getuid?.()
    if (isOurs && stat.mtimeMs < Date.now() - LEFT_BEHIND_MS)
      await disk.rm(directory, { recursive: true, force: true })
  }
}
