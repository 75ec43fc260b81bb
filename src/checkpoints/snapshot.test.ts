// J-6 a snapshot uses what the user's index knows, and still equals the work tree byte for byte.
import { execFileSync } from 'node:child_process'
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
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGit } from '../runner/git.ts'
import { findRepository, isRepository } from './repository.ts'
import { snapshot } from './snapshot.ts'

let home: string
let root: string
const env = () => ({ PATH: process.env.PATH, HOME: home })

function user(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, env: env(), encoding: 'utf8', stdio: 'pipe' })
}

function put(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

function commitAll(): void {
  user('add', '--all')
  user('-c', 'user.name=U', '-c', 'user.email=u@example.org', 'commit', '--quiet', '-m', 'all')
}

async function take() {
  const git = createGit(env())
  const found = await findRepository(git, root)
  if (!isRepository(found)) throw new Error(found.detail)
  return snapshot(git, found)
}

/** Path → content, as the tree has it. */
function contents(tree: string): Record<string, string> {
  const paths = user('ls-tree', '-r', '-z', '--name-only', tree).split('\0').slice(0, -1)
  return Object.fromEntries(paths.map(path => [path, user('cat-file', 'blob', `${tree}:${path}`)]))
}

function objectFiles(): readonly string[] {
  const objects = join(root, '.git', 'objects')
  return readdirSync(objects, { recursive: true, encoding: 'utf8' })
    .filter(name => lstatSync(join(objects, name)).isFile())
    .sort()
}

function init(...options: string[]): void {
  mkdirSync(root, { recursive: true })
  user('init', '--quiet', ...options)
}

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-snapshot-')))
  root = join(home, 'project')
  init()
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

test('J-6 a first snapshot of unchanged files stores nothing: it starts from a copy of the user’s index', async () => {
  for (let i = 0; i < 300; i += 1) put(`d${i % 7}/f${i}`, `file ${i}\n`)
  commitAll()
  const before = objectFiles()
  const index = readFileSync(join(root, '.git', 'index'))
  expect((await take()).tree).toBe(user('rev-parse', 'HEAD^{tree}').trim())
  expect(objectFiles()).toEqual(before)
  expect(readFileSync(join(root, '.git', 'index'))).toEqual(index)
})

test('J-6 many new files come into one pack, a few stay loose; no object of the user is touched', async () => {
  put('tracked', 'tracked\n')
  commitAll()
  const before = objectFiles()
  for (let i = 0; i < 300; i += 1) put(`new/f${i}`, `file ${i}\n`)
  const { tree } = await take()
  const added = objectFiles().filter(name => !before.includes(name))
  expect(before.filter(name => !objectFiles().includes(name))).toEqual([])
  expect(added.filter(name => name.endsWith('.pack'))).toHaveLength(1)
  // The trees of the root and of `new`.
  expect(added.filter(name => /^[0-9a-f]{2}\//.test(name))).toHaveLength(2)
  const expected = Array.from({ length: 300 }, (_, i) => [`new/f${i}`, `file ${i}\n`])
  expect(contents(tree)).toEqual({ tracked: 'tracked\n', ...Object.fromEntries(expected) })
  user('fsck', '--strict')
  put('one more', 'x')
  await take()
  expect(objectFiles().filter(name => name.endsWith('.pack'))).toHaveLength(1)
})

test('J-6 a file that git stores in another form is stored as it is in the work dir: line ends, ident, encodings', async () => {
  put('.gitattributes', '* text=auto\n*.c ident\n*.u16 working-tree-encoding=UTF-16LE text\n')
  put('unix.txt', 'one\ntwo\n')
  put('dos.txt', 'one\r\ntwo\r\n')
  put('id.c', '$Id: something $\n')
  writeFileSync(join(root, 'wide.u16'), Buffer.from('wide\n', 'utf16le'))
  // Older than the index by more than a second: git takes them for unchanged without a look at their content.
  for (const name of readdirSync(root).filter(name => name !== '.git')) {
    utimesSync(join(root, name), 1_700_000_000, 1_700_000_000)
  }
  commitAll()
  expect(user('show', 'HEAD:dos.txt')).toBe('one\ntwo\n')
  const { tree } = await take()
  expect(contents(tree)).toMatchObject({
    'unix.txt': 'one\ntwo\n',
    'dos.txt': 'one\r\ntwo\r\n',
    'id.c': '$Id: something $\n',
    'wide.u16': Buffer.from('wide\n', 'utf16le').toString(),
  })
})

test('J-6 a file with a filter is not taken from the index either, and the filter does not run', async () => {
  const ran = join(home, 'ran')
  const filter = join(home, 'filter.sh')
  writeFileSync(filter, `#!/bin/sh\necho "$*" >> '${ran}'\ntr a-z b-za\n`)
  chmodSync(filter, 0o755)
  put('.gitattributes', '*.secret filter=shift\n')
  user('config', 'filter.shift.clean', filter)
  user('config', 'filter.shift.required', 'true')
  put('a.secret', 'abc\n')
  commitAll()
  expect(user('show', 'HEAD:a.secret')).toBe('bcd\n')
  rmSync(ran)
  // The file is as old as the index: git itself would read its content through the filter.
  const { mtimeMs } = lstatSync(join(root, 'a.secret'))
  utimesSync(join(root, '.git', 'index'), mtimeMs / 1_000, mtimeMs / 1_000)
  expect(contents((await take()).tree)['a.secret']).toBe('abc\n')
  expect(existsSync(ran)).toBe(false)
})

test('J-6 a change of the same length right after the index was written is seen', async () => {
  for (let i = 0; i < 20; i += 1) {
    put('a', 'one\n')
    user('add', 'a')
    put('a', 'two\n')
    expect(contents((await take()).tree)).toEqual({ a: 'two\n' })
  }
})

test('J-6 files that git assumes unchanged are stored as they are; a file that sparse checkout left out is not deleted', async () => {
  for (const name of ['assumed', 'gone', 'skipped', 'sparse']) put(name, 'one\n')
  commitAll()
  user('update-index', '--assume-unchanged', 'assumed', 'gone')
  user('update-index', '--skip-worktree', 'skipped', 'sparse')
  put('assumed', 'two\n')
  put('skipped', 'two\n')
  rmSync(join(root, 'gone'))
  rmSync(join(root, 'sparse'))
  expect(contents((await take()).tree)).toEqual({
    assumed: 'two\n',
    skipped: 'two\n',
    sparse: 'one\n',
  })
})

test('J-6 a tracked directory that became a link is a link; what it points to is not read', async () => {
  put('dir/inner', 'inside\n')
  commitAll()
  const outside = join(home, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'inner'), 'a secret outside\n')
  rmSync(join(root, 'dir'), { recursive: true })
  symlinkSync(outside, join(root, 'dir'))
  expect(contents((await take()).tree)).toEqual({ dir: outside })
})

test('J-6 snapshots work with a split index, an intent to add and a repository of SHA-256', async () => {
  put('a', 'one\n')
  put('b', 'one\n')
  commitAll()
  user('update-index', '--split-index')
  put('a', 'two\n')
  user('add', 'a')
  put('c', 'new\n')
  user('add', '--intent-to-add', 'c')
  expect(contents((await take()).tree)).toEqual({ a: 'two\n', b: 'one\n', c: 'new\n' })
  root = join(home, 'other')
  init('--object-format=sha256')
  put('a', 'one\n')
  put('b', 'one\n')
  commitAll()
  rmSync(join(root, 'b'))
  put('c', 'new\n')
  expect(contents((await take()).tree)).toEqual({ a: 'one\n', c: 'new\n' })
})

test('J-6 in a shared repository the group reads and writes what a snapshot adds, loose objects and packs, also with umask 077', async () => {
  const umask = process.umask(0o077)
  try {
    for (const [shared, files] of [
      ['group', 20],
      ['0660', 300],
    ] as const) {
      rmSync(root, { recursive: true })
      init(`--shared=${shared}`)
      for (let i = 0; i < files; i += 1) put(`f${i}`, `file ${i}\n`)
      await take()
      expect(closedToGroup(join(root, '.git', 'objects'))).toEqual([])
      expect(objectFiles().some(name => name.endsWith('.pack'))).toBe(files > 256)
    }
  } finally {
    process.umask(umask)
  }
})

/** Directories that the group cannot write into, files that it cannot read. */
function closedToGroup(top: string): readonly string[] {
  return readdirSync(top, { recursive: true, encoding: 'utf8' }).filter(name => {
    const stat = lstatSync(join(top, name))
    const needed = stat.isDirectory() ? 0o070 : 0o040
    return (stat.mode & needed) !== needed
  })
}

test('J-6 a value of core.sharedRepository that git does not know does not reach the private config', async () => {
  put('file', 'content\n')
  user('config', 'core.sharedRepository', 'group\n[core]\n\trepositoryFormatVersion = 99')
  const { tree } = await take()
  const names = user('-c', 'core.sharedRepository=umask', 'ls-tree', '--name-only', tree)
  expect(names).toBe('file\n')
})
