// J-10: work in a repository goes on on another host, with its files and its session.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LocalReprise } from '../../../src/api.ts'
import { readJournal } from '../../../src/testing/fake-agent/executable.ts'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { bundledFakeAgent } from '../../fake-agent.ts'
import { heldBetweenTiers } from '../../scenarios/chains/chains.ts'
import { homeOf, openHost, type Surroundings } from './workspace-host.ts'

const PROGRAM = fileURLToPath(new URL('./workspace-host.ts', import.meta.url))

let around: Surroundings
let origin: string
let open: LocalReprise[]

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: around.top }
  const who = ['-c', 'user.name=u', '-c', 'user.email=u@localhost']
  return execFileSync('git', [...who, ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' })
}

const script = (turns: FakeScript) =>
  writeFileSync(join(around.top, 'script.json'), JSON.stringify(turns))

const host = (name: string, workers = 0) => {
  const reprise = openHost(around, name, workers) as LocalReprise
  open.push(reprise)
  return reprise
}

/** The host is gone, with everything that was on it. */
async function lose(name: string, reprise?: LocalReprise): Promise<void> {
  await reprise?.close()
  rmSync(homeOf(around, name), { recursive: true, force: true })
}

const writes = (path: string, text: string) => ({ type: 'writeFile', path, text }) as const

/** What the agent was given last. */
const lastPrompt = async () =>
  (await readJournal(join(around.top, 'journal.jsonl'))).at(-1)?.prompt ?? ''

beforeEach(async () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-hosts-')))
  around = { top, executable: await bundledFakeAgent(join(top, 'bin')) }
  open = []
  origin = join(top, 'origin')
  mkdirSync(origin)
  git(origin, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(origin, 'a.txt'), 'one\n')
  writeFileSync(join(origin, '.gitignore'), 'ignored\n')
  git(origin, 'add', '.')
  git(origin, 'commit', '--quiet', '-m', 'first')
})

afterEach(async () => {
  for (const reprise of open) await reprise.close()
  rmSync(around.top, { recursive: true, force: true })
})

describe('J-10 a thread in a repository', () => {
  test('goes on on another host with its files, its branch and its session', async () => {
    script([
      {
        when: 'begin',
        do: [writes('made.txt', 'by A'), writes('ignored', 'x'), writes('a.txt', 'two\n')],
      },
      { do: [writes('more.txt', 'by B')] },
    ])
    const a = host('a')
    const thread = await a.threads.create({ workspace: { repository: origin, ref: 'main' } })
    const first = await thread.send('begin').result
    expect(first.run.status).toBe('completed')
    expect(first.run.workDir).toBe(join(homeOf(around, 'a'), 'data', 'workspaces', thread.id))
    expect((await thread.show()).workspace).toEqual({
      repository: origin,
      ref: 'main',
      commit: git(origin, 'rev-parse', 'HEAD').trim(),
    })
    git(first.run.workDir, 'checkout', '--quiet', '-b', 'topic')
    git(first.run.workDir, 'commit', '--quiet', '-am', 'by hand')
    // A person committed between two turns, and the next turn of the same host keeps it.
    expect((await thread.send('go on').result).run.decision?.action).toBe('resume')
    await lose('a', a)

    const b = host('b')
    const there = await b.threads.get(thread.id)
    const second = await there.send('on another host').result
    expect(second.run).toMatchObject({
      status: 'completed',
      workDir: join(homeOf(around, 'b'), 'data', 'workspaces', thread.id),
      decision: { action: 'resume' },
    })
    const read = (path: string) => readFileSync(join(second.run.workDir, path), 'utf8')
    expect([read('made.txt'), read('more.txt'), read('a.txt')]).toEqual(['by A', 'by B', 'two\n'])
    expect(existsSync(join(second.run.workDir, 'ignored'))).toBe(false)
    expect(git(second.run.workDir, 'rev-parse', '--abbrev-ref', 'HEAD').trim()).toBe('topic')
    expect(git(second.run.workDir, 'log', '-1', '--format=%s').trim()).toBe('by hand')
    expect(await lastPrompt()).toContain('This work goes on on another machine.')
    expect(await lastPrompt()).not.toContain('interrupted run')
    const { decision } = second.run
    expect(JSON.stringify(decision?.checks)).toContain('replaced the agent')

    // The next turn on the same host has nothing to be told.
    await there.send('again').result
    expect(await lastPrompt()).not.toContain('another machine')
  })

  test('begins a copy with its files, and takes them along when it is removed', async () => {
    script([
      { when: 'first', do: [writes('made.txt', 'draft')] },
      { when: 'again', do: [writes('made.txt', 'by A')] },
    ])
    const a = host('a')
    const thread = await a.threads.create({ workspace: { repository: origin } })
    const { workDir } = (await thread.send('first').result).run
    await thread.send('again').result
    const copy = await thread.fork()
    script([{ when: 'in the copy', do: [writes('copied.txt', 'by the copy')] }, { do: [] }])
    const forked = await copy.send('in the copy').result
    expect(forked.run.workDir).not.toBe(workDir)
    const read = (path: string) => readFileSync(join(forked.run.workDir, path), 'utf8')
    expect(read('made.txt')).toBe('by A')
    writeFileSync(join(forked.run.workDir, 'by-hand.txt'), 'between two turns')
    await copy.send('once more').result
    expect([read('copied.txt'), read('by-hand.txt')]).toEqual(['by the copy', 'between two turns'])
    await thread.remove()
    expect(existsSync(workDir)).toBe(false)
    expect(existsSync(forked.run.workDir)).toBe(true)
  })

  test('that cannot be checked out ends its run with the reason', async () => {
    const a = host('a')
    const thread = await a.threads.create({ workspace: { repository: join(around.top, 'none') } })
    const { run } = await thread.send('first').result
    expect(run).toMatchObject({ status: 'failed', failure: { class: 'spawn-failed' } })
    expect(run.failure?.message).toContain('there is no repository at')
    await expect(
      a.threads.create({ workspace: { repository: 'ext::sh -c x' } }),
    ).rejects.toMatchObject({ code: 'bad-input' })
    await expect(
      a.threads.create({ workDir: around.top, workspace: { repository: origin } }),
    ).rejects.toMatchObject({ code: 'bad-input' })
    await expect(thread.send('x', { workDir: around.top }).result).rejects.toMatchObject({
      code: 'bad-input',
    })
  })
})

test('J-10 J-8 a job whose host was killed goes on on another one, from its last checkpoint and in its session', async () => {
  const reached = join(around.top, 'reached')
  script([
    { once: true, do: [writes('one.txt', 'kept'), { type: 'exit', code: 1, withoutResult: true }] },
    {
      once: true,
      do: [
        writes('two.txt', 'lost'),
        { type: 'waitForFile', path: join(around.top, 'never'), reached },
      ],
    },
    { do: [{ type: 'text', text: 'done' }] },
  ])
  const args = [PROGRAM, around.top, around.executable, 'a', origin]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const id = line.toString('utf8').trim()
  await expect.poll(() => existsSync(reached), { timeout: 120_000 }).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await lose('a')

  const b = host('b', 1)
  const job = await b.jobs.wait(id, AbortSignal.timeout(240_000))
  expect(job).toMatchObject({ status: 'completed', text: 'done' })
  const last = job.attempts.at(-1)
  expect(last?.workDir).toBe(join(homeOf(around, 'b'), 'data', 'workspaces', job.threadId))
  expect(readFileSync(join(last?.workDir ?? '', 'one.txt'), 'utf8')).toBe('kept')
  expect(existsSync(join(last?.workDir ?? '', 'two.txt'))).toBe(false)
  expect(last?.decision?.action).toBe('resume')
  expect(await lastPrompt()).toContain('What the interrupted run changed after')
  expect(job.checkpoints.map(({ kind }) => kind)).toContain('after')
})

test('J-6 J-10 a checkpoint of a job is restored on another host, and the next attempt begins there, on whichever host', async () => {
  script([
    {
      once: true,
      do: [writes('one.txt', 'first'), { type: 'exit', code: 1, withoutResult: true }],
    },
    { once: true, do: [writes('one.txt', 'second'), writes('two.txt', 'second')] },
    { do: [{ type: 'text', text: 'looked' }] },
  ])
  const a = host('a', 1)
  const { id } = await a.jobs.submit({
    ...{ prompt: 'work', workspace: { repository: origin }, backoff: { firstMs: 10 } },
  })
  const done = await a.jobs.wait(id)
  expect(done).toMatchObject({ status: 'completed', attempts: [{}, {}] })
  // Of the first attempt.
  const after = done.checkpoints.find(({ kind }) => kind === 'after')
  await lose('a', a)

  const b = host('b')
  const { changes } = await b.jobs.restore(id, after?.number ?? 0)
  expect(changes.map(({ path }) => path).toSorted()).toEqual(['one.txt', 'two.txt'])
  await b.jobs.retry(id)
  const c = host('c', 1)
  const again = await c.jobs.wait(id)
  const { workDir = '' } = again.attempts.at(-1) ?? {}
  expect(workDir).toContain(homeOf(around, 'c'))
  expect(readFileSync(join(workDir, 'one.txt'), 'utf8')).toBe('first')
  expect(existsSync(join(workDir, 'two.txt'))).toBe(false)
})

test('J-10 the next tier of a chain finds the files of the tier below on another host', async () => {
  const verdict = (word: 'escalate' | 'resolved') =>
    ({ type: 'verdict', output: { verdict: word, summary: 's', reason: 'r' } }) as const
  script([
    { once: true, do: [writes('found.txt', 'by tier 1'), verdict('escalate')] },
    { do: [verdict('resolved')] },
  ])
  const a = host('a')
  const policy = heldBetweenTiers()
  const held = await a.chains.start({
    policy,
    prompt: 'check',
    workspace: { repository: origin },
  }).result
  expect(held.runs.map(({ failure }) => failure)).toEqual([null])
  expect(held.status).toBe('held')
  expect(held.workspace).toMatchObject({ repository: origin })
  await lose('a', a)
  const b = host('b')
  const done = await b.chains.approve(held.id).result
  expect(done.status).toBe('resolved')
  const place = join(homeOf(around, 'b'), 'data', 'workspaces', held.threadId)
  expect(done.runs.at(-1)).toMatchObject({ tier: 2, workDir: place, decision: { action: 'fork' } })
  expect(readFileSync(join(place, 'found.txt'), 'utf8')).toBe('by tier 1')
})
