// J-6 what changed between two checkpoints of a real repository, also a hostile one.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGit } from '../runner/git.ts'
import { takeCheckpoint } from './checkpoints.ts'
import { diffBetween, MAX_FILES, MAX_PATCH_CHARS } from './diff.ts'
import { findRepository, isRepository } from './repository.ts'

let root: string
const env = () => ({ PATH: process.env.PATH, HOME: root })
const git: ReturnType<typeof createGit> = call => createGit(env())(call)
const put = (path: string, content: string | Uint8Array) => writeFileSync(join(root, path), content)

function user(...args: string[]): void {
  execFileSync('git', args, { cwd: root, env: env(), stdio: 'pipe' })
}

async function repository() {
  const found = await findRepository(git, root)
  if (isRepository(found)) return found
  throw new Error(found.detail)
}

const take = async () =>
  takeCheckpoint(git, await repository(), { jobId: 'job_1', kind: 'before', attempt: 1, at: 1 })

const diff = async (from: string | null, to: string) =>
  diffBetween(git, await repository(), { from, to })

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-diff-')))
  user('init', '-q')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

test('J-6 lists added, changed and removed files with their lines and patches', async () => {
  put('old.txt', 'one\n')
  put('same.txt', 'same\n')
  put('text.txt', 'one\ntwo\nthree\n')
  const before = await take()
  rmSync(join(root, 'old.txt'))
  put('a b\t"c.txt', 'diff --git a/x b/x\nno end')
  put('text.txt', 'one\nTWO\nthree\n')
  put('bytes.bin', new Uint8Array([0, 1, 2, 0]))
  const { files, truncated } = await diff(before.tree, (await take()).tree)
  const patch = expect.stringMatching(/^diff --git /)
  expect(files).toEqual([
    { path: 'a b\t"c.txt', status: 'added', added: 2, removed: 0, patch },
    { path: 'bytes.bin', status: 'added', added: null, removed: null, patch: null },
    { path: 'old.txt', status: 'removed', added: 0, removed: 1, patch },
    { path: 'text.txt', status: 'changed', added: 1, removed: 1, patch },
  ])
  expect(truncated).toBe(false)
  expect(files[3]?.patch).toContain('@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n')
  expect(files[0]?.patch).toContain('+diff --git a/x b/x\n+no end\n\\ No newline at end of file\n')
})

test('J-6 compares with the empty tree, and follows a file that becomes a link', async () => {
  put('a', 'text\n')
  put('z', 'last\n')
  const before = await take()
  expect((await diff(null, before.commit)).files.map(file => file.path)).toEqual(['a', 'z'])
  rmSync(join(root, 'a'))
  symlinkSync('z', join(root, 'a'))
  put('z', 'end\n')
  const { files } = await diff(before.commit, (await take()).commit)
  expect(files.map(file => file.path)).toEqual(['a', 'z'])
  expect(files[0]?.patch?.match(/^diff --git/gm)).toHaveLength(2)
  expect(files[1]?.patch).toContain('+end')
})

test('J-6 says when files or patches were left out', async () => {
  put('a', 'x\n')
  const before = await take()
  put('a', 'long line of text\n'.repeat(MAX_PATCH_CHARS / 10))
  put('b', 'short\n')
  const long = await diff(before.tree, (await take()).tree)
  expect(long.truncated).toBe(true)
  expect(long.files).toMatchObject([
    { path: 'a', added: expect.any(Number), patch: null },
    { path: 'b', patch: expect.stringContaining('+short') },
  ])
  for (let index = 0; index < MAX_FILES; index += 1) put(`file-${index}`, 'x\n')
  const many = await diff(before.tree, (await take()).tree)
  expect(many).toMatchObject({ truncated: true, files: { length: MAX_FILES } })
})

test('J-6 runs nothing that the repository configures', async () => {
  const mark = join(root, '..', `${root.split('/').at(-1)}-ran`)
  put('evil.sh', `#!/bin/sh\ntouch ${mark}\ncat "$1"\n`)
  chmodSync(join(root, 'evil.sh'), 0o755)
  for (const name of ['diff.external', 'diff.evil.command', 'diff.evil.textconv', 'core.pager']) {
    user('config', name, join(root, 'evil.sh'))
  }
  put('.gitattributes', '*.txt diff=evil\n')
  put('a.txt', 'one\n')
  const before = await take()
  put('a.txt', 'two\n')
  const { files } = await diff(before.tree, (await take()).tree)
  expect(files).toMatchObject([{ path: 'a.txt', patch: expect.stringContaining('-one\n+two\n') }])
  expect(existsSync(mark)).toBe(false)
})
