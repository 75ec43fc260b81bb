// J-10: checkpoints as bundles that another clone of the same repository can add.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGit } from '../runner/git.ts'
import { addBundle, makeBundle, moveToBundle, nameCheckpoints, readBundle } from './bundle.ts'
import type { Repository } from './checkpoint.ts'
import { listCheckpoints, takeCheckpoint } from './checkpoints.ts'
import { findRepository, isRepository } from './repository.ts'
import { putFilesBack } from './restore.ts'
import { snapshot } from './snapshot.ts'

let top: string
const env = () => ({ PATH: process.env.PATH, HOME: top })
const git = (call: Parameters<ReturnType<typeof createGit>>[0]) => createGit(env())(call)
const user = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@localhost', ...args], {
    ...{ cwd, env: env(), encoding: 'utf8', stdio: 'pipe' },
  })

async function found(root: string): Promise<Repository> {
  const repository = await findRepository(git, root)
  if (isRepository(repository)) return repository
  throw new Error(repository.detail)
}

let here: string
let there: string
let base: string

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-bundle-')))
  here = join(top, 'here')
  there = join(top, 'there')
  mkdirSync(here)
  user(here, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(
    join(here, 'big'),
    'x'.repeat(200_000).replaceAll('x', () => Math.random().toString(36)),
  )
  user(here, 'add', '.')
  user(here, 'commit', '--quiet', '-m', 'base')
  base = user(here, 'rev-parse', 'HEAD').trim()
  user(top, 'clone', '--quiet', here, there)
})

afterEach(() => rmSync(top, { recursive: true, force: true }))

const take = async (number: number) =>
  takeCheckpoint(git, await found(here), {
    jobId: 'thr_1',
    kind: 'after',
    attempt: null,
    at: number,
  })

test('J-10 a bundle holds only what is new, and git itself can read it', async () => {
  writeFileSync(join(here, 'a.txt'), 'one')
  const first = await take(1)
  const whole = await makeBundle(git, await found(here), { checkpoints: [first], known: [base] })
  expect(whole.bytes.length).toBeLessThan(5_000)
  expect(whole.needs).toEqual([base])
  writeFileSync(join(top, 'x.bundle'), whole.bytes)
  expect(user(there, 'bundle', 'list-heads', join(top, 'x.bundle'))).toContain(first.ref)
  user(there, 'bundle', 'verify', join(top, 'x.bundle'))

  writeFileSync(join(here, 'b.txt'), 'two')
  const second = await take(2)
  const known = [base, first.commit]
  const thin = await makeBundle(git, await found(here), { checkpoints: [second], known })
  expect(thin.bytes.length).toBeLessThan(whole.bytes.length + 500)
  await expect(addBundle(git, await found(there), thin.bytes)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('earlier commits are not here'),
  })
})

test('J-10 another clone gets files, branches and HEAD', async () => {
  user(here, 'checkout', '--quiet', '-b', 'topic')
  writeFileSync(join(here, 'a.txt'), 'one')
  user(here, 'add', '.')
  user(here, 'commit', '--quiet', '-m', 'on topic')
  user(here, 'branch', 'other', base)
  writeFileSync(join(here, 'a.txt'), 'not committed')
  writeFileSync(join(here, 'new.txt'), 'new')
  const checkpoint = await take(1)
  const { bytes } = await makeBundle(git, await found(here), {
    ...{ checkpoints: [checkpoint], known: [base] },
  })
  const repository = await found(there)
  const header = await addBundle(git, repository, bytes)
  await nameCheckpoints(git, repository, { owner: 'thr_1', header })
  const [listed] = await listCheckpoints(git, repository, 'thr_1')
  expect(listed).toEqual(checkpoint)
  await moveToBundle(git, repository, { header, checkpoint })
  await putFilesBack(git, repository, { checkpoint, now: await snapshot(git, repository) })
  expect(readFileSync(join(there, 'a.txt'), 'utf8')).toBe('not committed')
  expect(readFileSync(join(there, 'new.txt'), 'utf8')).toBe('new')
  expect(user(there, 'status', '--porcelain')).toBe(user(here, 'status', '--porcelain'))
  expect(user(there, 'branch')).toBe(user(here, 'branch'))
})

test('J-10 damaged bytes change nothing', async () => {
  writeFileSync(join(here, 'a.txt'), 'one')
  const checkpoint = await take(1)
  const { bytes } = await makeBundle(git, await found(here), {
    ...{ checkpoints: [checkpoint], known: [base] },
  })
  const broken = Buffer.from(bytes)
  broken.writeUInt8((broken.at(-30) ?? 0) ^ 0xff, broken.length - 30)
  for (const given of [broken, bytes.subarray(0, bytes.length - 40), Buffer.from('no bundle')]) {
    await expect(addBundle(git, await found(there), given)).rejects.toMatchObject({
      code: 'conflict',
    })
  }
  expect(await listCheckpoints(git, await found(there), 'thr_1')).toEqual([])
  expect(() => readBundle(Buffer.from('# v2 git bundle\n'))).toThrow('not a bundle')
})
