// Scenarios of checkpoints: the files of a job are put back, and its session goes on from there.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { append, say } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { fresh, over, submit } from './job-acts.ts'

function repositoryIn(world: Harness) {
  const root = fresh(world, 'repository')
  mkdirSync(root)
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', env: gitEnv(world) })
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(join(root, 'a.txt'), 'one\n')
  git('add', '.')
  git('-c', 'user.name=u', '-c', 'user.email=u@localhost', 'commit', '--quiet', '-m', 'first')
  return { root, git }
}

export function checkpointScenarios(world: () => Harness): void {
  test('J-6 J-9 a job is put back to a checkpoint; its session is forked there', async () => {
    const { root, git } = repositoryIn(world())
    const file = join(root, 'a.txt')
    world().model.plan([append(file, 'two'), say('appended')])
    const job = await over(world(), await submit(world(), { workDir: root }))
    world().model.plan([append(file, 'three'), say('appended again')])
    await world().reprise.jobs.retry(job.id)
    const twice = await over(world(), job)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n')
    expect(twice.checkpoints.map(({ kind }) => kind)).toEqual([
      'before',
      'after',
      'before',
      'after',
    ])
    const restored = await world().reprise.jobs.restore(job.id, 2)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    expect(restored.safety).toMatchObject({ number: 5, kind: 'safety' })
    await world().reprise.jobs.retry(job.id)
    const third = await over(world(), job)
    const last = third.attempts.at(-1)
    expect(last?.decision?.action).toBe('fork')
    const saw = (await world().saw({ run: { id: last?.id ?? '' } })).join('\n')
    expect(saw).toContain('put back to how they were')
    expect(saw).not.toContain('appended again')
    expect(git('status', '--porcelain')).toBe(' M a.txt\n')
    expect(git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main\n')
  })
}

export function checkpointDecisionScenarios(world: () => Harness): void {
  test('J-6 the next prompt says what others changed meanwhile; unresolved conflicts stop the job', async () => {
    const { root } = repositoryIn(world())
    const job = await over(world(), await submit(world(), { workDir: root }))
    writeFileSync(join(root, 'theirs.txt'), 'x')
    await world().reprise.jobs.retry(job.id)
    const ended = await over(world(), job)
    const saw = (await world().saw({ run: { id: ended.attempts[1]?.id ?? '' } })).join('\n')
    expect(saw).toContain('added theirs.txt')
    writeFileSync(join(root, 'a.txt'), '<<<<<<< ours\none\n=======\ntwo\n>>>>>>> theirs\n')
    const spawns = world().spawns
    await world().reprise.jobs.retry(job.id)
    const stopped = await over(world(), job)
    expect(stopped).toMatchObject({ status: 'failed', step: { reason: { code: 'conflicts' } } })
    expect(stopped.words).toContain('a.txt')
    expect(world().spawns).toBe(spawns)
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\n')
    await world().reprise.jobs.retry(job.id)
    expect(await over(world(), job)).toMatchObject({ status: 'completed' })
    expect(existsSync(join(root, 'theirs.txt'))).toBe(true)
  })
}

function gitEnv(world: Harness): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: world.path('home') }
}
