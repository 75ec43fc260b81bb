// Checkpoints leave the user's repository with their job, when they are old, and by hand.
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appears, eventually, ServeWorld } from '../daemon/serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
  git('init', '--quiet')
  writeFileSync(join(world.workDir, '.env'), 'TOKEN=a secret that is not tracked\n')
})
afterEach(() => world.closeAll())

function git(...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: world.root }
  return execFileSync('git', args, { cwd: world.workDir, env, encoding: 'utf8' })
}

const refs = () =>
  git('for-each-ref', '--format=%(refname)', 'refs/reprise').split('\n').filter(Boolean)
const submit = () => world.json(['jobs', 'submit', '--wait', 'build it'])

test('V-6 threads rm and jobs rm remove the checkpoints from the repository, and say so', async () => {
  const first = await submit()
  const second = await submit()
  expect(refs()).toHaveLength(4)
  const removed = await world.run(['threads', 'rm', first.threadId])
  expect(removed.code).toBe(0)
  expect(removed.out).toContain(`removed 2 checkpoints of ${first.id} from ${world.workDir}/.git`)
  expect(refs()).toEqual([1, 2].map(number => `refs/reprise/${second.id}/${number}`))
  expect(await world.json(['jobs', 'rm', second.id])).toMatchObject({
    id: second.id,
    checkpoints: [{ jobId: second.id, state: 'removed', count: 2, problem: null }],
  })
  expect(refs()).toEqual([])
  expect(await world.list(['jobs'])).toEqual([])
  expect(await world.here(['threads', 'show', second.threadId])).toMatchObject({ code: 3 })
  expect(await world.here(['jobs', 'rm', second.id])).toMatchObject({ code: 3 })
})

test('V-6 Reprise removes them from the repository of a worktree that is gone, and names a repository that is gone', async () => {
  git(
    '-c',
    'user.name=U',
    '-c',
    'user.email=u@x',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'one',
  )
  const tree = world.path('tree')
  git('worktree', 'add', '--quiet', tree)
  const inTree = await world.json(['jobs', 'submit', '--wait', '--cwd', tree, 'build it'])
  rmSync(tree, { recursive: true })
  const removed = await world.json(['jobs', 'rm', inTree.id])
  expect(removed.checkpoints).toMatchObject([{ state: 'removed', count: 2 }])
  expect(refs()).toEqual([])
  const lost = await submit()
  rmSync(join(world.workDir, '.git'), { recursive: true })
  const rm = await world.here(['threads', 'rm', lost.threadId])
  expect(rm.code).toBe(0)
  expect(rm.out).toContain(`the repository ${world.workDir}/.git no longer exists`)
  expect(await world.list(['jobs'])).toEqual([])
})

test('V-6 Reprise names what git cannot remove now, and the next prune removes it', async () => {
  const { id } = await submit()
  const lock = join(world.workDir, '.git', `refs/reprise/${id}/1.lock`)
  writeFileSync(lock, '')
  const removed = await world.here(['jobs', 'rm', id])
  expect(removed.code).toBe(0)
  expect(removed.out).toContain(`the checkpoints of ${id} are still in ${world.workDir}/.git`)
  expect(refs()).toHaveLength(2)
  const doctor = await world.here(['doctor'])
  expect(doctor.out).toMatch(/warn +checkpoints +2 in 1 repository are old, or their job is gone/)
  expect(doctor.out).toContain('reprise jobs prune')
  rmSync(lock)
  expect(await world.json(['jobs', 'prune'])).toMatchObject({
    checkpoints: [{ jobId: id, state: 'removed' }],
  })
  expect(refs()).toEqual([])
  expect(await world.here(['jobs', 'prune'])).toMatchObject({
    code: 0,
    err: 'no old checkpoints\n',
  })
})

test('V-6 a daemon removes checkpoints of jobs that ended longer ago than checkpoints.keepDays', async () => {
  await submit()
  world.config({ checkpoints: { keepDays: null } })
  expect(await world.json(['jobs', 'prune'])).toEqual({ checkpoints: [] })
  world.config({ checkpoints: { keepDays: 0 } })
  expect((await world.here(['doctor'])).out).toMatch(/warn +checkpoints +2 in 1 repository/)
  await world.serve()
  await eventually(() => refs().length === 0)
  expect(await world.list(['jobs'])).toHaveLength(1)
})

/** As a store that was upgraded has it: its checkpoints are from before it kept their places. */
function forgetPlaces(): void {
  const database = new Database(join(world.home, 'reprise.db'))
  database.exec('delete from checkpoint_places')
  database.close()
}

test('V-6 checkpoints from before a store kept their places are found by doctor and removed by jobs prune', async () => {
  const { id } = await submit()
  await submit()
  forgetPlaces()
  expect(await world.json(['jobs', 'prune'])).toEqual({ checkpoints: [] })
  forgetPlaces()
  world.config({ checkpoints: { keepDays: 0 } })
  expect((await world.here(['doctor'])).out).toMatch(/warn +checkpoints +4 in 1 repository are old/)
  forgetPlaces()
  const { checkpoints: removed } = await world.json(['jobs', 'prune'])
  expect(removed).toHaveLength(2)
  expect(removed).toContainEqual(expect.objectContaining({ jobId: id, state: 'removed', count: 2 }))
  expect(refs()).toEqual([])
  expect(await world.json(['jobs', 'prune'])).toEqual({ checkpoints: [] })
  expect((await world.here(['doctor'])).out).toMatch(/ok +checkpoints +none/)
})

test('V-6 a daemon removes old checkpoints from before the store kept their places, too', async () => {
  await submit()
  forgetPlaces()
  world.config({ checkpoints: { keepDays: 0 } })
  await world.serve()
  await eventually(() => refs().length === 0)
})

test('V-6 jobs prune removes what doctor shows as old, also in a repository that was moved', async () => {
  await submit()
  world.config({ checkpoints: { keepDays: 0 } })
  renameSync(world.workDir, world.path('moved'))
  mkdirSync(world.workDir)
  const moved = { cwd: world.path('moved') }
  expect((await world.here(['doctor'], moved)).out).toMatch(/warn +checkpoints +2 in 1 repository/)
  const { checkpoints: removed } = await world.json(['jobs', 'prune'])
  expect(removed).toContainEqual(expect.objectContaining({ state: 'removed', count: 2 }))
  expect((await world.here(['doctor'], moved)).out).toMatch(/ok +checkpoints +none/)
})

test('V-6 over a daemon: a running job is refused with a hint, one that is cancelled is removed', async () => {
  const reached = world.path('reached')
  world.script([{ do: [{ type: 'waitForFile', path: world.path('never'), reached }] }])
  const { url } = await world.serve()
  const { id } = await world.json(['jobs', 'submit', 'build it'])
  await appears(reached)
  const refused = await world.here(['jobs', 'rm', id])
  expect(refused).toMatchObject({ code: 4, out: '' })
  expect(refused.err).toContain('cancel')
  await world.json(['jobs', 'cancel', id])
  await eventually(() => refs().length === 2)
  const answer = await world.request(url, `/api/jobs/${id}`, { method: 'DELETE' })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ id, checkpoints: [{ state: 'removed', count: 2 }] })
  expect(refs()).toEqual([])
  expect((await world.request(url, `/api/jobs/${id}`, { method: 'DELETE' })).status).toBe(404)
  expect(await world.json(['jobs', 'prune'])).toEqual({ checkpoints: [] })
})

test('V-6 doctor shows refs that its data directory knows nothing of, with the command that removes them', async () => {
  const { id } = await submit()
  renameSync(world.home, world.path('other home'))
  mkdirSync(world.home, { mode: 0o700 })
  world.config({})
  await world.list(['threads'])
  const { out } = await world.here(['doctor'])
  expect(out).toContain(
    `2 in ${world.workDir}/.git of ${id}, which this data directory does not know`,
  )
  const command = /another data directory has that job: (.+)$/m.exec(out)?.[1] ?? ''
  execFileSync('/bin/sh', ['-c', command])
  expect(refs()).toEqual([])
})

test('J-6 jobs diff shows what changed up to a checkpoint, without secrets, also through the daemon', async () => {
  writeFileSync(join(world.workDir, '.env'), 'DB_PASSWORD=k3Jx9vQ2mZ7t\n')
  const { id } = await submit()
  const { out } = await world.here(['jobs', 'diff', id, '1'])
  expect(out).toMatch(/^diff --git a\/\.env b\/\.env\n(.+\n)+\+DB_PASSWORD=\[redacted\]\n$/)
  const { url } = await world.serve()
  const first = await world.json(['jobs', 'diff', id, '1'])
  expect(first).toMatchObject({
    ...{ from: null, to: 1, truncated: false },
    files: [{ path: '.env', status: 'added', added: 1, removed: 0, patch: expect.any(String) }],
  })
  const answer = await world.request(url, `/api/jobs/${id}/checkpoints/2/diff`)
  expect(await answer.json()).toEqual({ from: 1, to: 2, files: [], truncated: false })
  expect(await world.here(['jobs', 'diff', id, '9'])).toMatchObject({ code: 3 })
})
