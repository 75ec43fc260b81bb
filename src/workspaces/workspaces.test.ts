// Workspaces on real repositories, also hostile ones: nothing of theirs runs, and nothing half-made is used.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGit } from '../runner/git.ts'
import { openWorkspaces, type Workspaces } from './workspaces.ts'

let top: string
let data: string
let origin: string
let workspaces: Workspaces

const env = () => ({ PATH: process.env.PATH, HOME: join(top, 'home') })
const holder = { name: 'here', isAlive: (name: string) => name === 'here' }
const opened = () => openWorkspaces({ git: createGit(env()), directory: data, holder })

function git(cwd: string, ...args: string[]): string {
  const who = [
    '-c',
    'user.name=u',
    '-c',
    'user.email=u@localhost',
    '-c',
    'protocol.file.allow=always',
  ]
  return execFileSync('git', [...who, ...args], {
    cwd,
    env: env(),
    encoding: 'utf8',
    stdio: 'pipe',
  })
}

function put(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

function newRepository(name: string, files: Readonly<Record<string, string>>): string {
  const root = join(top, name)
  mkdirSync(root)
  git(root, 'init', '--quiet', '--initial-branch=main')
  for (const [path, content] of Object.entries(files)) put(root, path, content)
  git(root, 'add', '.')
  git(root, 'commit', '--quiet', '-m', 'first')
  return root
}

const headOf = (root: string) => git(root, 'rev-parse', 'HEAD').trim()

const make = async (repository: string, { id = 'thr_one', ref = null as string | null } = {}) => {
  const commit = await workspaces.commitOf({ repository, ref })
  await workspaces.make({ id, repository, ref, commit })
  return workspaces.pathOf(id)
}

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-workspaces-')))
  data = join(top, 'data')
  mkdirSync(join(top, 'home'))
  origin = newRepository('origin', { 'a.txt': 'one\n', 'dir/b.txt': 'two\n' })
  workspaces = opened()
})

afterEach(() => {
  rmSync(top, { recursive: true, force: true })
})

describe('J-10 a work tree of a repository', () => {
  test('has the files of the default branch, of a branch, a tag and a commit', async () => {
    const first = headOf(origin)
    git(origin, 'tag', '-a', '-m', 'one', 'v1')
    git(origin, 'checkout', '--quiet', '-b', 'feature/x')
    put(origin, 'a.txt', 'changed\n')
    git(origin, 'commit', '--quiet', '-am', 'second')
    git(origin, 'checkout', '--quiet', 'main')
    const at = async (ref: string | null, id: string) => {
      const root = await make(origin, { ref, id })
      return [readFileSync(join(root, 'a.txt'), 'utf8'), headOf(root)]
    }
    expect(await at(null, 'thr_a')).toEqual(['one\n', first])
    expect((await at('feature/x', 'thr_b'))[0]).toBe('changed\n')
    expect(await at('v1', 'thr_c')).toEqual(['one\n', first])
    expect(await at(first, 'thr_d')).toEqual(['one\n', first])
    expect(await at('refs/tags/v1', 'thr_e')).toEqual(['one\n', first])
  })

  test('is a repository of its own: branches, refs and config reach nobody else', async () => {
    const one = await make(origin, { id: 'thr_a' })
    const two = await make(origin, { id: 'thr_b' })
    for (const root of [one, two]) {
      expect(git(root, 'status', '--porcelain')).toBe('')
      expect(git(root, 'branch', '-r')).toContain('origin/main')
      expect(git(root, 'remote', 'get-url', 'origin').trim()).toBe(origin)
      git(root, 'checkout', '--quiet', '-b', 'mine')
      put(root, 'new.txt', root)
      git(root, 'add', '.')
      git(root, 'commit', '--quiet', '-m', 'mine')
    }
    expect(headOf(one)).not.toBe(headOf(two))
    expect(git(origin, 'branch')).not.toContain('mine')
    expect(git(one, 'fsck', '--no-dangling')).toBe('')
  })

  test('begins at the same commit on every host, also after the branch moved', async () => {
    const commit = await workspaces.commitOf({ repository: origin, ref: 'main' })
    put(origin, 'a.txt', 'moved\n')
    git(origin, 'commit', '--quiet', '-am', 'second')
    data = join(top, 'other-host')
    workspaces = opened()
    await workspaces.make({ id: 'thr_one', repository: origin, ref: 'main', commit })
    expect(readFileSync(join(workspaces.pathOf('thr_one'), 'a.txt'), 'utf8')).toBe('one\n')
    expect(await workspaces.commitOf({ repository: origin, ref: 'main' })).toBe(headOf(origin))
  })

  test('fetches again only for a commit that the cache does not have', async () => {
    await make(origin, { id: 'thr_a' })
    const commit = headOf(origin)
    rmSync(origin, { recursive: true })
    await workspaces.make({ id: 'thr_b', repository: origin, ref: null, commit })
    expect(existsSync(join(workspaces.pathOf('thr_b'), 'a.txt'))).toBe(true)
    await expect(
      workspaces.make({ id: 'thr_c', repository: origin, ref: null, commit: 'f'.repeat(40) }),
    ).rejects.toMatchObject({ code: 'not-found' })
  })

  test('what is in its place is moved aside, never overwritten', async () => {
    const root = await make(origin)
    put(root, 'work.txt', 'hours of work')
    const { movedTo } = await workspaces.make({
      ...{ id: 'thr_one', repository: origin, ref: null, commit: headOf(origin) },
    })
    expect(existsSync(join(root, 'work.txt'))).toBe(false)
    expect(readFileSync(join(movedTo ?? '', 'work.txt'), 'utf8')).toBe('hours of work')
  })
})

describe('J-10 S10 a hostile repository', () => {
  test('runs nothing: hooks, fsmonitor, filters, templates, aliases', async () => {
    const ran = join(top, 'ran')
    const program = join(top, 'evil')
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`)
    chmodSync(program, 0o755)
    put(origin, '.gitattributes', '*.txt filter=evil diff=evil merge=evil\n')
    put(origin, '.gitconfig', `[core]\n\tfsmonitor = ${program}\n`)
    put(origin, '.githooks/post-checkout', readFileSync(program, 'utf8'))
    git(origin, 'add', '.')
    git(origin, 'commit', '--quiet', '-m', 'evil')
    const config = (file: string) => (name: string, value: string) =>
      git(origin, 'config', '--file', file, name, value)
    // The config of the repository itself, and a user whose own config has filters and hooks.
    for (const set of [
      config(join(origin, '.git', 'config')),
      config(join(top, 'home', '.gitconfig')),
    ]) {
      set('core.fsmonitor', program)
      set('core.hooksPath', join(top, 'hooks'))
      set('filter.evil.smudge', program)
      set('filter.evil.clean', program)
      set('filter.evil.process', program)
      set('init.templateDir', join(top, 'template'))
      set('core.alternateRefsCommand', program)
      set('uploadpack.packObjectsHook', `${program} 2>/dev/null; git pack-objects`)
    }
    git(
      origin,
      'config',
      '--file',
      join(top, 'home', '.gitconfig'),
      '--unset',
      'uploadpack.packObjectsHook',
    )
    for (const hook of [
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'post-merge',
    ]) {
      for (const place of ['hooks', 'template/hooks', 'origin/.git/hooks']) {
        put(top, `${place}/${hook}`, readFileSync(program, 'utf8'))
        chmodSync(join(top, place, hook), 0o755)
      }
    }
    const root = await make(origin)
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n')
    expect(existsSync(ran)).toBe(false)
    expect(existsSync(join(root, '.git', 'hooks'))).toBe(false)
    // The trap works: git itself would have run it.
    git(top, 'clone', '--quiet', origin, 'as-usual')
    expect(existsSync(ran)).toBe(true)
  })

  test('cannot write out of its tree through links', async () => {
    const outside = join(top, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(origin, 'link'))
    git(origin, 'add', '.')
    git(origin, 'commit', '--quiet', '-m', 'link')
    const root = await make(origin)
    expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true)
    expect(readdirSync(outside)).toEqual([])
  })

  test('has branches and files with names like options, and they are only names', async () => {
    put(origin, '--upload-pack=touch', 'x')
    put(origin, '-rf', 'x')
    git(origin, 'add', '--all', '--', '.')
    git(origin, 'commit', '--quiet', '-m', 'names')
    git(origin, 'update-ref', 'refs/heads/--exec', headOf(origin))
    const root = await make(origin)
    expect(readdirSync(root)).toEqual(expect.arrayContaining(['--upload-pack=touch', '-rf']))
  })
})

describe('J-10 submodules', () => {
  const withSubmodule = (url: string, path = 'lib') => {
    const lib = newRepository('lib', { 'lib.txt': 'lib\n' })
    git(origin, 'submodule', '--quiet', 'add', lib, path)
    git(origin, 'config', '--file', '.gitmodules', 'submodule.lib.url', url === '' ? lib : url)
    git(origin, 'commit', '--quiet', '-am', 'with submodule')
  }

  test('are checked out at their commit, also by a relative address', async () => {
    withSubmodule('../lib')
    const root = await make(origin)
    expect(readFileSync(join(root, 'lib', 'lib.txt'), 'utf8')).toBe('lib\n')
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  test.each([
    ['ext::sh -c touch% /tmp/never', 'ext:'],
    ['-u./x', '-'],
    ['https://me:secret@example.org/lib.git', 'user or a password'],
    ['http://example.org/lib.git', 'http:'],
  ])('with the address %s are refused', async (url, why) => {
    withSubmodule(url)
    await expect(make(origin)).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining(why),
    })
    expect(existsSync(workspaces.pathOf('thr_one'))).toBe(false)
  })

  test('that cannot be fetched are an error that names them', async () => {
    withSubmodule(join(top, 'nowhere'))
    await expect(make(origin)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/the submodule "lib" of .*nowhere/),
    })
  })
})

describe('J-10 what cannot be checked out', () => {
  test('has a reason: no such repository, no such ref, no git', async () => {
    await expect(make(join(top, 'none'))).rejects.toMatchObject({ code: 'not-found' })
    await expect(make(origin, { ref: 'nope' })).rejects.toMatchObject({
      code: 'not-found',
      message: `${origin} has no branch, tag or commit nope`,
    })
    const none = openWorkspaces({ git: createGit({ PATH: '/nowhere' }), directory: data, holder })
    await expect(none.commitOf({ repository: origin, ref: null })).rejects.toMatchObject({
      code: 'agent-unusable',
      hint: expect.stringContaining('Install git'),
    })
  })

  test('can be cancelled', async () => {
    const stop = AbortSignal.abort()
    const asked = workspaces.commitOf({ repository: origin, ref: null }, stop)
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('J-10 several processes', () => {
  test('make work trees of one repository at the same time', async () => {
    const many = Array.from({ length: 6 }, (_, index) => make(origin, { id: `thr_${index}` }))
    for (const root of await Promise.all(many)) {
      expect(git(root, 'status', '--porcelain')).toBe('')
    }
    const caches = readdirSync(join(data, 'repositories'))
    expect(caches).toHaveLength(1)
  })

  test('a process that was killed in the middle of a clone leaves nothing that is used', async () => {
    const slow = join(top, 'slow-git')
    const fetching = join(top, 'fetching')
    mkdirSync(slow)
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    writeFileSync(
      join(slow, 'git'),
      `#!/bin/sh\ncase " $* " in *" fetch "*) ${real} "$@"; echo $$ > ${fetching}.new; mv ${fetching}.new ${fetching}; exec sleep 600;; esac\nexec ${real} "$@"\n`,
    )
    chmodSync(join(slow, 'git'), 0o755)
    const program = `
      const { createGit } = await import(${JSON.stringify(new URL('../runner/git.ts', import.meta.url).pathname)})
      const { openWorkspaces } = await import(${JSON.stringify(new URL('./workspaces.ts', import.meta.url).pathname)})
      const git = createGit({ PATH: ${JSON.stringify(`${slow}:${process.env.PATH}`)}, HOME: ${JSON.stringify(join(top, 'home'))} })
      const holder = { name: 'dead', isAlive: () => null }
      const own = openWorkspaces({ git, directory: ${JSON.stringify(data)}, holder })
      await own.make({ id: 'thr_one', repository: ${JSON.stringify(origin)}, ref: null, commit: ${JSON.stringify(headOf(origin))} })
    `
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: 'ignore',
    })
    await expect.poll(() => existsSync(fetching)).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    process.kill(Number(readFileSync(fetching, 'utf8')), 'SIGKILL')
    const left = readdirSync(join(data, 'repositories'))
    expect(left.filter(name => name.endsWith('.git'))).toEqual([])
    expect(left.some(name => name.includes('.lock-'))).toBe(true)
    // The next process takes the lock of the dead one.
    expect(readFileSync(join(await make(origin), 'a.txt'), 'utf8')).toBe('one\n')
  })
})
