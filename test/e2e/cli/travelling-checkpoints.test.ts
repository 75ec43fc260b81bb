// The checkpoints of a job travel with its thread as a git bundle; git itself reads it at the other side.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorld } from './cli-world.ts'

let mine: CliWorld
let theirs: CliWorld
beforeEach(async () => {
  mine = await new CliWorld().open('with a store')
  theirs = await new CliWorld().open('with a store')
})
afterEach(() => {
  mine.close()
  theirs.close()
})

function git(world: CliWorld, ...args: readonly string[]): string {
  const env = { PATH: process.env.PATH, HOME: world.root }
  const who = ['-c', 'user.name=U', '-c', 'user.email=u@x']
  return execFileSync('git', [...who, ...args], { cwd: world.workDir, env, encoding: 'utf8' })
}

test('V-3 the checkpoints of a job go with its thread, without the branches of the repository, and git reads them there', async () => {
  git(mine, 'init', '--quiet')
  git(mine, 'commit', '--quiet', '--allow-empty', '-m', 'one')
  git(mine, 'branch', 'secret')
  writeFileSync(join(mine.workDir, 'notes.txt'), 'seven\n')
  const { id, threadId } = await mine.json(['jobs', 'submit', '--wait', 'build it'])
  const file = mine.path('job.reprise')
  const { code, err } = await mine.here(['threads', 'export', threadId, '-o', file])
  expect([code, err]).toEqual([0, ''])
  const imported = await theirs.json(['threads', 'import', file])
  const bundle = theirs.path('job.bundle')
  const only = ['--only-checkpoints', '-o', bundle]
  expect(await theirs.here(['threads', 'export', imported.threadId, ...only])).toMatchObject({
    code: 0,
  })
  git(theirs, 'init', '--quiet')
  git(theirs, 'fetch', '--quiet', bundle, 'refs/reprise/*:refs/reprise/*')
  const refs = git(theirs, 'for-each-ref', '--format=%(refname)').trim().split('\n')
  expect(refs).toEqual([`refs/reprise/${id}/1`, `refs/reprise/${id}/2`])
  expect(git(theirs, 'show', `refs/reprise/${id}/2:notes.txt`)).toBe('seven\n')
  const none = mine.path('none.reprise')
  await mine.here(['threads', 'export', threadId, '--no-checkpoints', '-o', none])
  const without = await theirs.json(['threads', 'import', none])
  expect(
    await theirs.here(['threads', 'export', without.threadId, '--only-checkpoints']),
  ).toMatchObject({ code: 3 })
})
