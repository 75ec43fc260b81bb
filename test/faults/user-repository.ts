// A git repository as its user left it: a branch, a stash, hooks that tell on who runs them, changes not committed. And a look at all of it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const HOOKS = ['pre-commit', 'post-commit', 'post-checkout', 'reference-transaction']
/** Made by a hook that ran. */
const HOOK_RAN = 'hook-ran'
/** Where what is ours may be. */
const OURS = /^\.git\/(objects|refs\/reprise)\//

export class UserRepository {
  readonly root: string
  readonly #home: string

  constructor(root: string, home: string) {
    this.root = root
    this.#home = home
    mkdirSync(root)
    this.git('init', '--quiet', '--initial-branch=main')
    this.git('config', 'user.name', 'u')
    this.git('config', 'user.email', 'u@localhost')
    this.write('tracked.txt', 'one\n')
    this.git('add', '.')
    this.git('commit', '--quiet', '-m', 'first')
    this.write('tracked.txt', 'put aside\n')
    this.git('stash', '--quiet')
    this.write('staged.txt', 'staged\n')
    this.git('add', 'staged.txt')
    this.write('tracked.txt', 'changed\n')
    this.write('new.txt', 'new\n')
    const hook = `#!/bin/sh\ntouch '${join(root, '.git', HOOK_RAN)}'\n`
    for (const name of HOOKS) writeFileSync(join(root, '.git/hooks', name), hook, { mode: 0o755 })
  }

  /** Every file that is the user's, in the work tree and in `.git`, with its content; without those of this name. */
  state(agents: string): Readonly<Record<string, string>> {
    const names = readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter(entry => !entry.isDirectory())
      .map(entry => join(entry.parentPath, entry.name).slice(this.root.length + 1))
      .filter(name => name !== agents && !OURS.test(name))
    return Object.fromEntries(names.toSorted().map(name => [name, this.#hash(name)]))
  }

  /** Our refs, by job. */
  checkpointRefs(): ReadonlyMap<string, readonly string[]> {
    const refs = this.git('for-each-ref', '--format=%(refname)', 'refs/reprise').split('\n')
    const ours = refs.filter(ref => ref !== '')
    return Map.groupBy(ours, ref => ref.split('/')[2] ?? '')
  }

  /** Empty when every ref leads to all it needs; commits whose taker died before their ref are git's to clean up. */
  broken(): string {
    return this.git('fsck', '--connectivity-only', '--no-dangling', '--no-progress')
  }

  lines(name: string): readonly string[] {
    if (!existsSync(join(this.root, name))) return []
    return readFileSync(join(this.root, name), 'utf8').trimEnd().split('\n')
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.root, name), text)
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.root,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: this.#home, GIT_OPTIONAL_LOCKS: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  #hash(name: string): string {
    const bytes = readFileSync(join(this.root, name))
    return createHash('sha256').update(bytes).digest('hex')
  }
}
