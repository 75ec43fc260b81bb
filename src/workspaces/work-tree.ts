// Makes a work tree of a commit, in a repository of its own that borrows the objects of the cache. Nothing of the repository runs.
import { randomUUID } from 'node:crypto'
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import type { Git, GitAnswer } from '../runner/git.ts'
import { gitError } from './git-errors.ts'

export type NewTree = {
  readonly directory: string
  readonly repository: string
  /** The bare clone whose objects it borrows. */
  readonly cache: string
  readonly commit: string
}

/** A checkout of many files takes longer than plumbing. */
const MAX_CHECKOUT_MS = 1_800_000

/**
 * The directory gets its name when everything is in it. A repository of its own, not a linked worktree: branches of one
 * thread are not in the way of another, and what an agent writes into its config reaches nobody else.
 */
export async function makeTree<T>(
  git: Git,
  tree: NewTree,
  fill: (directory: string) => Promise<T>,
): Promise<T> {
  const draft = `${tree.directory}.${randomUUID()}.draft`
  try {
    await disk.mkdir(draft, { recursive: true, mode: 0o700 })
    await initTree(git, draft, tree)
    const filled = await fill(draft)
    await disk.rename(draft, tree.directory)
    return filled
  } finally {
    await disk.rm(draft, { recursive: true, force: true })
  }
}

async function initTree(git: Git, directory: string, tree: NewTree): Promise<void> {
  const { cache, commit, repository } = tree
  const run = (args: readonly string[], stdin = '') =>
    must(repository, git({ cwd: directory, args, stdin, plain: true, maxMs: MAX_CHECKOUT_MS }))
  const format = commit.length === 64 ? ['--object-format=sha256'] : []
  await run(['init', '--quiet', '--template=', '--initial-branch=main', ...format, '.'])
  const info = join(directory, '.git', 'objects', 'info')
  await disk.mkdir(info, { recursive: true })
  await disk.writeFile(join(info, 'alternates'), `${join(cache, 'objects')}\n`)
  await run(['config', 'remote.origin.url', repository])
  await run(['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'])
  await run(['update-ref', '--stdin'], await knownRefs(git, cache))
  await run(['update-ref', '--no-deref', 'HEAD', commit])
  await run(['read-tree', '-m', '-u', commit])
}

/** Branches become those of `origin`, as after a clone. */
async function knownRefs(git: Git, cache: string): Promise<string> {
  const format = '%(objectname) %(refname)'
  const args = ['for-each-ref', `--format=${format}`, 'refs/heads/', 'refs/tags/']
  const { stdout } = await must(cache, git({ cwd: cache, args, plain: true }))
  const lines = stdout.toString('utf8').split('\n').filter(Boolean)
  return lines
    .map(line => {
      const [id = '', name = ''] = line.split(' ')
      return `create ${name.replace(/^refs\/heads\//, 'refs/remotes/origin/')} ${id}\n`
    })
    .join('')
}

async function must(repository: string, asked: Promise<GitAnswer>): Promise<GitAnswer> {
  const answer = await asked
  if (answer.code === 0) return answer
  throw gitError(repository, answer.stderr)
}
