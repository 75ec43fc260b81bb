// J-6 on real repositories, also hostile ones: the user's files stay as they were, and nothing of theirs runs.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGit } from '../runner/git.ts'
import type { Checkpoint, Repository } from './checkpoint.ts'
import {
  changesBetween,
  forgetCheckpoints,
  listCheckpoints,
  takeCheckpoint,
} from './checkpoints.ts'
import { conflictIn, driftBetween, driftBrief, holdsConflictMarkers } from './drift.ts'
import { findRepository, headOf, isRepository, troubleOf } from './repository.ts'
import { restoreCheckpoint } from './restore.ts'
import { snapshot } from './snapshot.ts'

let home: string
let root: string
const env = () => ({ PATH: process.env.PATH, HOME: home })
const git = (call: Parameters<ReturnType<typeof createGit>>[0]) => createGit(env())(call)

function user(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, env: env(), encoding: 'utf8', stdio: 'pipe' })
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const read = (path: string) => readFileSync(join(root, path), 'utf8')

async function repository(): Promise<Repository> {
  const found = await findRepository(git, root)
  if (isRepository(found)) return found
  throw new Error(found.detail)
}

let at = 0
const take = async (kind: Checkpoint['kind'] = 'before') =>
  takeCheckpoint(git, await repository(), { jobId: 'job_1', kind, attempt: 1, at: ++at })

/** Everything of the user in `.git`, bytes and modes, without our refs and objects. */
function theirs(): Record<string, string> {
  const found: Record<string, string> = {}
  const walk = (path: string) => {
    for (const name of readdirSync(join(root, '.git', path)).sort()) {
      const inner = join(path, name)
      const stat = lstatSync(join(root, '.git', inner))
      if (inner === 'objects' || inner === 'refs/reprise') continue
      if (stat.isDirectory()) walk(inner)
      else {
        const content = readFileSync(join(root, '.git', inner)).toString('base64')
        found[inner] = `${stat.mode} ${stat.mtimeMs} ${content}`
      }
    }
  }
  walk('')
  return found
}

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-git-')))
  root = join(home, 'project')
  mkdirSync(root)
  user('init', '--quiet', '--initial-branch=main')
  user('config', 'user.email', 'user@example.org')
  user('config', 'user.name', 'User')
  put('a.txt', 'one\n')
  put('.gitignore', 'ignored/\n*.log\n')
  user('add', '.')
  user('commit', '--quiet', '-m', 'first')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

describe('J-6 a checkpoint', () => {
  test('holds tracked, changed, staged and new files, links and modes, but no ignored files', async () => {
    put('a.txt', 'two\n')
    put('dir/new file\n"ü".txt', 'new\n')
    put('-dash', 'x')
    put('run.sh', '#!/bin/sh\n')
    chmodSync(join(root, 'run.sh'), 0o755)
    symlinkSync('/etc/hostname', join(root, 'link'))
    put('ignored/secret', 'no')
    put('x.log', 'no')
    user('add', 'run.sh')
    const { tree } = await take()
    const listed = user('ls-tree', '-r', '-z', tree).split('\0').slice(0, -1)
    expect(listed.map(line => line.replace(/ blob [0-9a-f]+/, '')).sort()).toEqual(
      [
        '100644\t-dash',
        '100644\t.gitignore',
        '100644\ta.txt',
        '100644\tdir/new file\n"ü".txt',
        '100755\trun.sh',
        '120000\tlink',
      ].sort(),
    )
    expect(user('show', `${tree}:a.txt`)).toBe('two\n')
    expect(user('show', `${tree}:link`)).toBe('/etc/hostname')
  })

  test('leaves refs, index, stash, reflogs, hooks and config as they were, to the byte', async () => {
    put('a.txt', 'stashed\n')
    user('stash')
    put('a.txt', 'staged\n')
    user('add', '.')
    put('a.txt', 'not staged\n')
    put('new', 'new\n')
    user('config', 'core.logAllRefUpdates', 'always')
    const status = user('status', '--porcelain=v2', '--branch')
    const before = theirs()
    await take('before')
    const checkpoint = await take('after')
    put('a.txt', 'agent\n')
    await restoreCheckpoint(git, await repository(), { checkpoint, at: 9 })
    expect(theirs()).toEqual(before)
    expect(user('status', '--porcelain=v2', '--branch')).toBe(status)
    expect(user('stash', 'list')).toContain('stash@{0}')
    expect(user('for-each-ref', '--format=%(refname)').split('\n').filter(Boolean)).toEqual([
      'refs/heads/main',
      'refs/reprise/job_1/1',
      'refs/reprise/job_1/2',
      'refs/reprise/job_1/3',
      'refs/stash',
    ])
  })

  test('runs nothing of a hostile repository: hooks, fsmonitor, filters, signing, lazy fetches', async () => {
    const bait = join(home, 'ran')
    const trap = join(home, 'trap.sh')
    writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> '${bait}'\ncat\n`)
    chmodSync(trap, 0o755)
    const hooks = join(root, '.git/hooks')
    mkdirSync(hooks, { recursive: true })
    for (const name of [
      'reference-transaction',
      'post-index-change',
      'pre-commit',
      'post-commit',
    ]) {
      rmSync(join(hooks, name), { force: true })
      symlinkSync(trap, join(hooks, name))
    }
    put('.gitattributes', '* filter=evil diff=evil working-tree-encoding=UTF-16\n')
    put('a.txt', 'changed\n')
    put('b.txt', 'new\r\n')
    // Not by `user`, which would spring the traps itself.
    const config = `
[core]
\tfsmonitor = ${trap}
\thooksPath = ${hooks}
\tautocrlf = true
\tsshCommand = ${trap}
\taskPass = ${trap}
\talternateRefsCommand = ${trap}
\tuntrackedCache = true
\tsplitIndex = true
\tpager = ${trap}
\teditor = ${trap}
[filter "evil"]
\tclean = ${trap}
\tsmudge = ${trap}
\tprocess = ${trap}
\trequired = true
[diff "evil"]
\ttextconv = ${trap}
\tcommand = ${trap}
[diff]
\texternal = ${trap}
[merge "evil"]
\tdriver = ${trap}
[credential]
\thelper = ${trap}
[uploadpack]
\tpackObjectsHook = ${trap}
[commit]
\tgpgSign = true
[gpg]
\tprogram = ${trap}
[extensions]
\tpartialClone = origin
[remote "origin"]
\turl = ext::${trap}
\tpromisor = true
[alias]
\tls-files = !${trap}
`
    writeFileSync(join(root, '.git/config'), config, { flag: 'a' })
    for (let i = 0; i < 300; i += 1) put(`many/${i}`, `${i}\n`)
    const first = await take()
    put('a.txt', 'by the agent\n')
    rmSync(join(root, 'b.txt'))
    const found = await repository()
    await troubleOf(git, found)
    await restoreCheckpoint(git, found, { checkpoint: first, at: 5 })
    await forgetCheckpoints(git, found.commonDir, 'job_1')
    expect(read('a.txt')).toBe('changed\n')
    expect(read('b.txt')).toBe('new\r\n')
    expect(existsSync(bait) && readFileSync(bait, 'utf8')).toBe(false)
  })

  test('keeps LFS files as they lie there, pointer or content', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 9\n'
    put('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n')
    put('pointer.bin', pointer)
    put('content.bin', new Uint8Array([0, 255, 10, 13, 10]))
    const checkpoint = await take()
    rmSync(join(root, 'pointer.bin'))
    put('content.bin', 'other')
    await restoreCheckpoint(git, await repository(), { checkpoint, at: 1 })
    expect(read('pointer.bin')).toBe(pointer)
    expect([...readFileSync(join(root, 'content.bin'))]).toEqual([0, 255, 10, 13, 10])
  })

  test('notes the commit of a submodule, and that it does not hold the submodule’s files', async () => {
    const inner = join(home, 'inner')
    execFileSync('git', ['clone', '--quiet', root, inner], { env: env() })
    user('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub')
    mkdirSync(join(root, 'nested'))
    execFileSync('git', ['init', '--quiet'], { cwd: join(root, 'nested'), env: env() })
    put('nested/file', 'x')
    put('sub/a.txt', 'changed inside\n')
    const checkpoint = await take()
    expect(user('ls-tree', checkpoint.tree, 'sub')).toMatch(/^160000 commit /)
    expect(checkpoint.notKept).toEqual(['nested/'])
    await restoreCheckpoint(git, await repository(), { checkpoint, at: 1 })
    expect(read('sub/a.txt')).toBe('changed inside\n')
    expect(read('nested/file')).toBe('x')
  })

  test('works before the first commit, on a detached HEAD, in a subdirectory and in a worktree', async () => {
    user('checkout', '--quiet', '--detach')
    expect((await take()).head.branch).toBe(null)
    mkdirSync(join(root, 'sub'))
    expect(await findRepository(git, join(root, 'sub'))).toMatchObject({ root })
    const other = join(home, 'other')
    user('worktree', 'add', '--quiet', other, 'main')
    root = other
    put('a.txt', 'in the worktree\n')
    expect((await take()).number).toBe(2)
    root = join(home, 'empty')
    mkdirSync(root)
    user('init', '--quiet')
    put('first', '1')
    const checkpoint = await take()
    expect(checkpoint).toMatchObject({ number: 1, head: { commit: null } })
    put('first', '2')
    await restoreCheckpoint(git, await repository(), { checkpoint, at: 1 })
    expect(read('first')).toBe('1')
  })

  test('is refused with a reason: no repository, a bare one, a work tree elsewhere, too many files', async () => {
    const plain = join(home, 'plain')
    mkdirSync(plain)
    expect(await findRepository(git, plain)).toMatchObject({ code: 'no-repository' })
    const bare = join(home, 'bare')
    execFileSync('git', ['init', '--bare', '--quiet', bare], { env: env() })
    expect(await findRepository(git, bare)).toMatchObject({ code: 'bare' })
    expect(await findRepository(git, join(root, '.git'))).toMatchObject({ code: 'no-repository' })
    for (const name of ['b', 'c']) put(name, name)
    const few = { maxFiles: 1, maxFileBytes: 10, maxBytes: 10 }
    await expect(snapshot(git, await repository(), few)).rejects.toMatchObject({
      code: 'too-large',
    })
    user('config', 'core.worktree', plain)
    expect(await findRepository(git, root)).not.toHaveProperty('root')
  })

  test('is listed in order with its details, and removed without a trace', async () => {
    for (let i = 0; i < 11; i += 1) await take(i % 2 ? 'after' : 'before')
    const list = await listCheckpoints(git, await repository(), 'job_1')
    expect(list.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(list[1]).toMatchObject({ kind: 'after', attempt: 1, head: { branch: 'main' } })
    expect(await forgetCheckpoints(git, (await repository()).commonDir, 'job_1')).toBe(11)
    expect(user('for-each-ref', 'refs/reprise')).toBe('')
  })

  test('never moves an existing ref, and outlives the user’s garbage collection', async () => {
    const checkpoint = await take()
    put('a.txt', 'later\n')
    user('gc', '--quiet', '--prune=now')
    await restoreCheckpoint(git, await repository(), { checkpoint, at: 1 })
    expect(read('a.txt')).toBe('one\n')
  })
})

describe('J-6 restoring', () => {
  test('restores deleted and changed files, removes new ones, and restores links and directories', async () => {
    put('dir/inner', 'file in a directory\n')
    symlinkSync('a.txt', join(root, 'link'))
    put('run.sh', '#!/bin/sh\necho ran\n')
    chmodSync(join(root, 'run.sh'), 0o755)
    const checkpoint = await take()
    for (const path of ['dir', 'run.sh']) rmSync(join(root, path), { recursive: true })
    put('dir', 'now a file\n')
    rmSync(join(root, 'link'))
    put('link/inner', 'now a directory\n')
    rmSync(join(root, 'a.txt'))
    put('new/deep/file', 'new\n')
    put('ignored/kept', 'kept')
    const found = await repository()
    const { safety, changes } = await restoreCheckpoint(git, found, { checkpoint, at: 1 })
    expect(String(execFileSync(join(root, 'run.sh')))).toBe('ran\n')
    expect(read('dir/inner')).toBe('file in a directory\n')
    expect(readlinkSync(join(root, 'link'))).toBe('a.txt')
    expect(read('a.txt')).toBe('one\n')
    expect(existsSync(join(root, 'new'))).toBe(false)
    expect(read('ignored/kept')).toBe('kept')
    expect(changes.length).toBeGreaterThan(4)
    await restoreCheckpoint(git, await repository(), { checkpoint: safety, at: 2 })
    expect(read('new/deep/file')).toBe('new\n')
    expect(read('dir')).toBe('now a file\n')
  })

  test('changes nothing when an ignored file or a link out of the work dir is in the way', async () => {
    put('data.txt', 'tracked\n')
    put('out/file', 'inside\n')
    const checkpoint = await take()
    rmSync(join(root, 'data.txt'))
    rmSync(join(root, 'out'), { recursive: true })
    const outside = join(home, 'outside')
    mkdirSync(outside)
    put('.gitignore', 'data.txt\nout\n')
    put('data.txt', 'now ignored, and precious\n')
    symlinkSync(outside, join(root, 'out'))
    put('a.txt', 'agent\n')
    const restored = restoreCheckpoint(git, await repository(), { checkpoint, at: 1 })
    await expect(restored).rejects.toMatchObject({ code: 'conflict' })
    expect(read('data.txt')).toBe('now ignored, and precious\n')
    expect(read('a.txt')).toBe('agent\n')
    expect(readdirSync(outside)).toEqual([])
  })
})

describe('J-6 drift', () => {
  const driftSince = async (last: Checkpoint) => {
    const found = await repository()
    const now = await take('before')
    const changes = await changesBetween(git, found, [last.tree, now.tree])
    const marked = changes
      .filter(({ status, path }) => status !== 'removed' && holdsConflictMarkers(read(path)))
      .map(({ path }) => path)
    const trouble = await troubleOf(git, found)
    return driftBetween(last, { head: await headOf(git, found), changes, trouble, marked })
  }

  test('an unchanged work dir has no drift', async () => {
    const drift = await driftSince(await take('after'))
    expect([driftBrief(drift), conflictIn(drift)]).toEqual([null, null])
  })

  test('a moved HEAD, another branch and changes of others are reported', async () => {
    const last = await take('after')
    user('checkout', '--quiet', '-b', 'other')
    put('theirs.txt', 'x')
    user('add', '.')
    user('commit', '--quiet', '-m', 'second')
    put('a\nb', 'odd name')
    const drift = await driftSince(last)
    expect(conflictIn(drift)).toBe(null)
    expect(driftBrief(drift)).toMatch(
      /^The branch is now other; it was main\.\nHEAD is now at [0-9a-f]{12}; it was at [0-9a-f]{12}\.\nFiles that somebody else changed:\nadded "a\\nb"\nadded theirs\.txt$/,
    )
  })

  test('an unresolved merge stops the job, by the index or by the marks in a file', async () => {
    const last = await take('after')
    user('checkout', '--quiet', '-b', 'other')
    put('a.txt', 'theirs\n')
    user('commit', '--quiet', '-am', 'theirs')
    user('checkout', '--quiet', 'main')
    put('a.txt', 'ours\n')
    user('commit', '--quiet', '-am', 'ours')
    expect(() => user('merge', 'other')).toThrow()
    const merging = await driftSince(last)
    expect(conflictIn(merging)).toBe('unresolved conflicts in the middle of a merge in a.txt')
    user('add', 'a.txt')
    expect(conflictIn(await driftSince(last))).toContain('a.txt')
    put('a.txt', 'both\n')
    expect(conflictIn(await driftSince(last))).toBe(null)
  })
})
