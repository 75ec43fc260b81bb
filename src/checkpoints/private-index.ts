// A git directory of our own beside the user's: a copy of their index, their objects, and of their config only who may write the objects.
// Git works in it as in theirs, with what it knows of unchanged files, but converts nothing, runs nothing and writes only objects of theirs.
import { promises as disk } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Git, PrivateDir } from '../runner/git.ts'
import type { Repository } from './checkpoint.ts'
import { lineOf } from './repository.ts'

const PREFIX = 'reprise-index-'
/** No checkpoint takes that long. */
const LEFT_BEHIND_MS = 3_600_000

/** Attributes from here win over the repository's: bytes are kept as they lie in the work dir. */
const AS_IT_IS = '* -text -eol -crlf -ident -filter -working-tree-encoding\n'

/** The forms that git takes for `core.sharedRepository`. */
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
 * With its time, or a moment earlier: git takes a file that is as old as its index for possibly changed and reads it.
 * With a later time it would miss a change that came right after the index was written.
 */
async function copy(from: string, to: string): Promise<void> {
  const { mtimeNs } = await disk.stat(from, { bigint: true })
  await disk.copyFile(from, to)
  const seconds = Number(mtimeNs - 2_000n) / 1e9
  await disk.utimes(to, seconds, seconds)
}

/** Directories of processes that were killed meanwhile. By the time of the disk, whatever clock we have. */
export async function removeOldIndexes(): Promise<void> {
  for (const name of await disk.readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue
    const directory = join(tmpdir(), name)
    const stat = await disk.lstat(directory).catch(() => null) // Somebody was faster.
    const isOurs = stat?.isDirectory() === true && stat.uid === process.getuid?.()
    if (isOurs && stat.mtimeMs < Date.now() - LEFT_BEHIND_MS)
      await disk.rm(directory, { recursive: true, force: true })
  }
}
