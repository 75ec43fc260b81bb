// Inspects a git repository: where it is, where its HEAD is, which operation is unfinished. It changes nothing.
import { promises as disk, existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { RepriseError } from '../errors.ts'
import type { Git, GitAnswer, GitCall } from '../runner/git.ts'
import type { Head, NoRepository, Repository, Trouble } from './checkpoint.ts'

export async function findRepository(
  git: Git,
  workDir: string,
): Promise<Repository | NoRepository> {
  const args = [
    'rev-parse',
    '--is-bare-repository',
    '--absolute-git-dir',
    '--git-common-dir',
    '--show-object-format',
    '--show-toplevel',
  ]
  const { code, stdout, stderr } = await git({ cwd: workDir, args })
  const [bare, gitDir, commonDir, objectFormat, top] = stdout.toString('utf8').split('\n')
  if (bare === 'true') return { code: 'bare', detail: `${workDir} is a bare repository` }
  if (code !== 0 || !gitDir || !commonDir || !objectFormat || !top)
    return noRepository(workDir, stderr)
  const root = await disk.realpath(top)
  const place = relative(root, await disk.realpath(workDir))
  // A repository's own config can name any directory as its work tree.
  if (place.startsWith('..')) {
    return { code: 'unusable', detail: `its repository names ${root} as its work tree` }
  }
  const common = await disk.realpath(resolve(workDir, commonDir))
  return { root, gitDir, commonDir: common, objectFormat }
}

/** False also when the directory no longer exists. Throws when git gives no answer. */
export async function isGitDir(git: Git, path: string): Promise<boolean> {
  if (!existsSync(path)) return false
  const { code, stdout, stderr } = await git({
    cwd: path,
    args: ['rev-parse', '--absolute-git-dir'],
  })
  if (code === 0) return (await disk.realpath(stdout.toString('utf8').trim())) === path
  const { code: why, detail } = noRepository(path, stderr)
  if (why === 'no-repository') return false
  throw new RepriseError('conflict', detail, 'Look at the repository with `git status`.')
}

export function isRepository(found: Repository | NoRepository): found is Repository {
  return 'root' in found
}

function noRepository(workDir: string, stderr: string): NoRepository {
  if (/dubious ownership/.test(stderr)) {
    const detail = `git does not trust ${workDir}, which belongs to somebody else (safe.directory)`
    return { code: 'not-trusted', detail }
  }
  if (/not a git repository|must be run in a work tree/.test(stderr)) {
    return { code: 'no-repository', detail: `${workDir} is not in a git repository` }
  }
  return { code: 'unusable', detail: stderr.split('\n')[0] ?? 'git failed without a message' }
}

export async function headOf(git: Git, { root }: Repository): Promise<Head> {
  const commit = await git({ cwd: root, args: ['rev-parse', '--verify', '--quiet', 'HEAD'] })
  const branch = await git({ cwd: root, args: ['symbolic-ref', '--short', '--quiet', 'HEAD'] })
  return { commit: lineOf(commit), branch: lineOf(branch) }
}

const OPERATIONS: readonly (readonly [string, string])[] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
]

export async function troubleOf(git: Git, { root, gitDir }: Repository): Promise<Trouble> {
  const { stdout } = await asked(git, { cwd: root, args: ['ls-files', '--unmerged', '-z'] })
  const paths = splitZ(stdout).map(entry => entry.slice(entry.indexOf('\t') + 1))
  const operation = OPERATIONS.find(([name]) => existsSync(join(gitDir, name)))?.[1] ?? null
  return { unmerged: [...new Set(paths)], operation }
}

/** Runs git and throws when it fails. */
export async function asked(git: Git, call: GitCall): Promise<GitAnswer> {
  const answer = await git(call)
  if (answer.code === 0) return answer
  throw new RepriseError(
    'conflict',
    `git ${call.args[0]} failed in ${call.cwd}: ${answer.stderr || `code ${answer.code}`}`,
    'Look at the repository with `git status` and `git fsck`; the work dir itself is as it was.',
  )
}

export function lineOf({ code, stdout }: GitAnswer): string | null {
  return code === 0 ? stdout.toString('utf8').trim() || null : null
}

/** To git, paths are bytes. A path that is not UTF-8 cannot be found by this name, so no checkpoint holds it. */
export function splitZ(bytes: Buffer): readonly string[] {
  return bytes.toString('utf8').split('\0').slice(0, -1)
}

/** The tree of a commit. */
export async function treeOf(
  git: Git,
  { root: cwd }: Pick<Repository, 'root'>,
  commit: string,
): Promise<string> {
  const { stdout } = await git({ cwd, args: ['rev-parse', '--verify', `${commit}^{tree}`] })
  return stdout.toString('utf8').trim()
}

/** What the remotes of the repository had when it last asked them: every clone of them has it, too. */
export async function remoteCommits(git: Git, { root }: Repository): Promise<readonly string[]> {
  const args = ['for-each-ref', '--format=%(objectname)%00', 'refs/remotes/']
  const names = splitZ((await asked(git, { cwd: root, args })).stdout).map(name => name.trim())
  return [...new Set(names.filter(Boolean))]
}
