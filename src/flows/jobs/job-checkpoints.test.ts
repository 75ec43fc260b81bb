// Checkpoints around the attempts of a job, in a real repository: what drifted, what a restore changes and which messages it removes.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { RepriseError } from '../../errors.ts'
import { createGit } from '../../runner/git.ts'
import {
  checkpointAfter,
  checkpointBefore,
  checkpointsOf,
  diffOf,
  repositoryOf,
} from './job-checkpoints.ts'
import { previewRestore, restoreJob } from './restore-job.ts'

const JOB = {
  ...{ id: 'job_1', threadId: 'thr_1', checkpointing: 'auto', workspace: null, startedAt: 1 },
  ...{
    status: 'failed',
    step: null,
    nextAttemptAt: null,
    labels: [],
    host: null,
    sharedRoot: null,
  },
}
const SECRET = 'AKIAIOSFODNN7EXAMPLE'

function world() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-checkpoints-')))
  onTestFinished(() => rmSync(top, { recursive: true }))
  const env = { PATH: process.env.PATH, HOME: top }
  const workDir = join(top, 'project')
  mkdirSync(workDir)
  const git = (...args: readonly string[]) => {
    const who = ['-c', 'user.name=u', '-c', 'user.email=u@localhost']
    return execFileSync('git', [...who, ...args], {
      cwd: workDir,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  }
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(join(workDir, 'a.txt'), 'one\n')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  const notes: string[] = []
  const replaced: object[] = []
  const job = { ...JOB, workDir }
  const messages = [
    { id: 'm0', runId: null },
    ...['r1', 'r2', 'r2'].map((runId, at) => ({ id: `m${at + 1}`, runId })),
  ]
  const runs = [
    { id: 'r2', attempt: 2, costUsd: null, failure: null, answerMessageId: null },
    { id: 'r1', attempt: 1, costUsd: null, failure: null, answerMessageId: null },
  ]
  let status = 'failed'
  const dependencies = {
    git: createGit(env),
    clock: { now: () => 5 },
    random: { id: (kind: string) => `${kind}_1` },
    offer: { host: 'here' },
    store: {
      reach: 'one-host',
      job: async () => ({ ...job, status }),
      branch: async () => messages,
      listRuns: async () => runs,
      workers: async () => [],
      replaceBranch: async (change: object) => void replaced.push(change),
      keepCheckpointPlace: async ({ gitDir, ...place }: { gitDir: string }) =>
        void notes.push(JSON.stringify(place)),
    },
  }
  const write = (path: string, text: string) => writeFileSync(join(workDir, path), text)
  const read = (path: string) => readFileSync(join(workDir, path), 'utf8')
  const run = (now: string) => {
    status = now
  }
  return {
    dependencies: dependencies as never,
    job: job as never,
    notes,
    replaced,
    write,
    read,
    git,
    run,
  }
}

test('J-6 each attempt has a state before and after it; the next prompt says what changed between two attempts, and a restore brings a state back', async () => {
  const { dependencies, job, notes, write, read, replaced, run } = world()
  expect(await checkpointBefore(dependencies, job, 1)).toEqual({ state: 'clear', drift: null })
  write('a.txt', `two ${SECRET}\n`)
  await checkpointAfter(dependencies, job)
  // Somebody else has seen the end already.
  await checkpointAfter(dependencies, job)
  expect(notes).toEqual(Array(2).fill(JSON.stringify({ jobId: 'job_1', host: 'here' })))
  write('by-hand.txt', 'x')
  const drifted = await checkpointBefore(dependencies, job, 2)
  expect(drifted).toMatchObject({ state: 'clear', drift: expect.stringContaining('by-hand.txt') })
  const list = await checkpointsOf(dependencies, job)
  expect(list.map(({ kind, attempt, at }) => [kind, attempt, at])).toEqual([
    ...[
      ['before', 1, 5],
      ['after', 1, 5],
      ['before', 2, 5],
    ],
  ])
  const diff = await diffOf(dependencies, job, 2)
  expect(diff).toMatchObject({ from: 1, to: 2, files: [{ path: 'a.txt' }] })
  expect(diff.files[0]?.patch).toContain('+two [redacted')
  expect(JSON.stringify(diff)).not.toContain(SECRET)
  expect(await diffOf(dependencies, job, 1)).toMatchObject({ from: null, to: 1, files: [] })

  const wanted = { id: 'job_1', checkpoint: 2 }
  expect(await previewRestore(dependencies, wanted)).toMatchObject({
    ...{ checkpoint: { number: 2 }, changes: [{ path: 'by-hand.txt' }], messages: 2 },
  })
  // Before the first attempt there was nothing but the task.
  expect(await previewRestore(dependencies, { ...wanted, checkpoint: 1 })).toMatchObject({
    messages: 3,
  })
  expect(await previewRestore(dependencies, { ...wanted, checkpoint: 3 })).toMatchObject({
    messages: 2,
  })
  const restored = await restoreJob(dependencies, wanted)
  expect(restored).toMatchObject({
    checkpoint: { number: 2 },
    safety: { kind: 'safety' },
    job: { id: 'job_1' },
  })
  expect(read('a.txt')).toBe(`two ${SECRET}\n`)
  expect(() => read('by-hand.txt')).toThrow('ENOENT')
  expect(replaced).toMatchObject([
    {
      ...{ threadId: 'thr_1', branchId: 'brn_1', expected: ['m0', 'm1', 'm2', 'm3'], now: 5 },
      messages: [{ id: 'm0' }, { id: 'm1' }],
    },
  ])
  // The state before the restore is one of no attempt: to go back to it removes no message.
  await restoreJob(dependencies, { id: 'job_1', checkpoint: restored.safety.number })
  expect([read('by-hand.txt'), replaced.length]).toEqual(['x', 1])

  await expect(previewRestore(dependencies, { ...wanted, checkpoint: 9 })).rejects.toMatchObject({
    ...{ code: 'not-found', message: 'job job_1 has no checkpoint 9' },
    hint: 'See them: reprise jobs checkpoints job_1.',
  })
  run('running')
  const busy = {
    code: 'busy',
    message: 'job job_1 is running',
    hint: expect.stringContaining('reprise jobs cancel job_1'),
  }
  await expect(restoreJob(dependencies, wanted)).rejects.toMatchObject(busy)
  await expect(previewRestore(dependencies, wanted)).rejects.toMatchObject(busy)
})

test('J-6 files in conflict stop the next attempt, and the detail names them', async () => {
  const { dependencies, job, write } = world()
  await checkpointBefore(dependencies, job, 1)
  await checkpointAfter(dependencies, job)
  write('a.txt', '<<<<<<< ours\none\n=======\ntwo\n>>>>>>> theirs\n')
  expect(await checkpointBefore(dependencies, job, 2)).toMatchObject({
    ...{ state: 'conflict', detail: expect.stringContaining('a.txt') },
  })
})

const failing = (error: Error) => {
  let calls = 0
  return async () => {
    calls += 1
    if (calls > 1) throw error
    return { code: 0, stdout: Buffer.from('false\n/\n/\nsha1\n/\n'), stderr: '' }
  }
}

test('J-6 without checkpoints a job runs all the same', async () => {
  const git = async () => ({ code: 128, stdout: Buffer.alloc(0), stderr: 'not a git repository' })
  const missing = () => Promise.reject(new RepriseError('agent-missing', 'there is no git', ''))
  const job = { ...JOB, workDir: '/' } as never
  for (const one of [git, missing]) {
    expect(await repositoryOf({ git: one } as never, job)).toBeNull()
    expect(await checkpointBefore({ git: one } as never, job, 1)).toEqual({
      state: 'clear',
      drift: null,
    })
    await checkpointAfter({ git: one } as never, job)
  }
  const none = { git: () => Promise.reject(new TypeError('git is not asked')) } as never
  expect(await repositoryOf(none, { ...JOB, checkpointing: 'off' } as never)).toBeNull()
  expect(await checkpointsOf(none, { ...JOB, startedAt: null } as never)).toEqual([])
  const broken = failing(new RepriseError('conflict', 'the repository is broken', ''))
  expect(await checkpointBefore({ git: broken } as never, job, 1)).toEqual({
    state: 'clear',
    drift: null,
  })
  await checkpointAfter({ git: failing(new Error('x')) } as never, job)
  const fault = failing(new TypeError('a fault'))
  await expect(checkpointBefore({ git: fault } as never, job, 1)).rejects.toThrow('a fault')
})

test('J-10 of a job in a repository only the work tree of this host can be read, and only when it is the latest', async () => {
  const asked: string[] = []
  const git = async ({ cwd }: { cwd: string }) => {
    asked.push(cwd)
    return { code: 128, stdout: Buffer.alloc(0), stderr: 'not a git repository' }
  }
  const world = (kept: string | null) => ({
    git,
    workspaces: { pathOf: (id: string) => `/trees/${id}`, find: async () => ({ kept }) },
    vault: { objects: { list: async () => [{ name: '000000000000001.000000001' }] } },
  })
  const job = { ...JOB, workspace: {}, workDir: '/elsewhere' } as never
  await checkpointAfter(world(null) as never, job)
  expect(asked).toEqual([])
  await checkpointAfter(world('000000000000001.000000001') as never, job)
  expect(asked).toEqual(['/trees/thr_1'])
})
