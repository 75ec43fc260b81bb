// Work in a repository that goes on on another host: which files it finds there, and what Reprise tells its agent.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostsOf, makeOrigin, type Origin, THREAD } from '../../../test/simulated/hosts-world.ts'
import { listCheckpoints, takeCheckpoint } from '../../checkpoints/checkpoints.ts'
import { RepriseError } from '../../errors.ts'
import { diedSince, enterWorkspace, isCurrent } from './enter-workspace.ts'
import { keepRestored } from './keep-files.ts'
import { keptName } from './kept-names.ts'
import { enterForRun, leaveAfterRun } from './run-in-workspace.ts'

let origin: Origin
beforeAll(async () => {
  origin = await makeOrigin()
})
afterAll(() => origin.remove())

const OTHER_MACHINE = 'This work goes on on another machine.'
const NOT_READ = 'A later state was kept, but it could not be read.'

describe('J-10 a thread that goes on on another host', () => {
  test('finds its files and its branch there, and comes back with those of the other host', async () => {
    const { host, objects, notes } = hostsOf(origin)
    const [a, b] = [host('a'), host('b', 'clone')]
    a.write({ 'a.txt': 'two\n', 'made.txt': 'by A', ignored: 'stays' })
    a.git('checkout', '--quiet', '-b', 'topic')
    expect(await a.keep(1)).toBeNull()
    expect(notes).toEqual([`kept by ${THREAD} {"threadId":"${THREAD}","token":1} instead of 0`])
    expect((await a.record())?.kept).toBe(keptName(1, 1))
    expect(await b.enter()).toEqual({
      ...{ workDir: b.tree, owner: THREAD, commit: origin.workspace.commit },
      borrowed: [b.workspaces.cachePath((await b.record())?.caches[0] ?? '')],
      news: expect.stringContaining(
        'The files and branches are as they were kept at 1970-01-01T00:00:05.000Z. Files that git ignores',
      ),
    })
    expect([b.read('a.txt'), b.read('made.txt'), b.read('ignored')]).toEqual([
      'two\n',
      'by A',
      null,
    ])
    expect(b.git('branch', '--show-current')).toBe('topic')
    b.write({ 'b.txt': 'by B' })
    expect(await b.keep(2)).toBeNull()
    // The agent has read the news.
    expect(await b.record()).toMatchObject({ kept: keptName(2, 2), news: null })
    // Of a thread only the last state is needed.
    expect(b.git('for-each-ref', '--format=%(refname)', 'refs/reprise/')).toBe(
      `refs/reprise/${THREAD}/2`,
    )
    const { news } = await a.enter()
    expect(news).toContain(OTHER_MACHINE)
    // The work tree went on where it was.
    expect(news).not.toContain('Files that git ignores')
    expect([a.read('b.txt'), a.read('ignored')]).toEqual(['by B', 'stays'])
    expect([...objects.keys()]).toEqual([keptName(1, 1), keptName(2, 2)])
  })

  test('leaves a work tree that somebody has changed meanwhile aside, and says where', async () => {
    const { host } = hostsOf(origin)
    const [a, b] = [host('a'), host('b')]
    await b.enter()
    b.write({ 'b.txt': 'by B' })
    await b.keep(1)
    a.write({ 'by-hand.txt': 'x' })
    const { news } = await a.enter()
    const aside = /An older state of the files on this machine is in (\S+)\.$/.exec(news ?? '')?.[1]
    expect([a.read('b.txt'), a.read('by-hand.txt')]).toEqual(['by B', null])
    expect(existsSync(join(aside ?? '', 'by-hand.txt'))).toBe(true)
  })

  test('begins with the last state that can be read, and Reprise tells the agent', async () => {
    const { host, objects } = hostsOf(origin)
    const a = host('a')
    a.write({ 'made.txt': 'first' })
    await a.keep(1)
    objects.set(keptName(1, 2), Buffer.from('damaged'))
    objects.set(keptName(1, 3), Buffer.from('after it'))
    const { news } = await host('b').enter()
    expect(news).toContain(NOT_READ)
    const c = host('c')
    // What was replaced by a later state, or has gone since, is not missed.
    objects.set(keptName(1, 2), new Uint8Array())
    objects.delete(keptName(1, 3))
    expect((await c.enter()).news).not.toContain(NOT_READ)
    expect([c.read('made.txt'), (await c.record())?.kept]).toEqual(['first', keptName(1, 1)])
  })

  test('leaves out what a former holder kept too late, although it has the higher number', async () => {
    const { host } = hostsOf(origin)
    const [a, b] = [host('a'), host('b')]
    a.write({ 'made.txt': 'by A' })
    await a.keep(1)
    await b.enter()
    b.write({ 'b.txt': 'by B' })
    await b.keep(2)
    a.write({ 'late.txt': 'late' })
    expect(await a.keep(1)).toBe('another host has taken over the thread and kept its own files')
    const c = host('c', 'clone')
    await c.enter()
    expect([c.read('b.txt'), c.read('late.txt')]).toEqual(['by B', null])
  })

  test('hears that the run before it died with its host', async () => {
    const { host, says } = hostsOf(origin)
    const a = host('a')
    a.write({ 'made.txt': 'x' })
    await a.keep(1)
    says.runs = [{ startedAt: 6_000, endedAt: 7_000, failure: { class: 'supervisor-died' } }]
    expect((await host('b').enter()).news).toContain('What the interrupted run changed')
  })
})

const DIED = { startedAt: 5_000, endedAt: 7_000, failure: { class: 'supervisor-died' } }

test.each<[boolean, string, readonly object[], number | null]>([
  [true, 'began after the last state', [DIED], 4_999],
  [true, 'began with the last state', [DIED], 5_000],
  [false, 'began before the last state', [DIED], 5_001],
  [true, 'left no state at all', [DIED], null],
  [false, 'ended in order', [{ ...DIED, failure: null }], null],
  [false, 'failed', [{ ...DIED, failure: { class: 'network' } }], null],
  [false, 'ended in order after one that died', [{ ...DIED, failure: null }, DIED], null],
  [true, 'is followed by one that never began', [{ ...DIED, startedAt: null }, DIED], null],
  [true, 'is followed by one under way', [{ ...DIED, endedAt: null }, DIED], null],
  [false, 'was never there', [], null],
])('J-10 work is lost with its host: %s, for a run that %s', (lost, _, runs, keptAt) => {
  expect(diedSince(runs as never, keptAt)).toBe(lost)
})

describe('J-10 a work tree on the host that used it last', () => {
  const ran = (host: string | null) => ({ startedAt: 1, endedAt: 2, host, failure: null })

  test('stays as it is, with what somebody has changed in it', async () => {
    const { host, says } = hostsOf(origin)
    const a = host('a')
    a.write({ 'by-hand.txt': 'x' })
    for (const runs of [
      [],
      [ran('a')],
      [ran(null)],
      [{ ...ran('b'), startedAt: null }, ran('a')],
    ]) {
      says.runs = runs
      expect((await a.enter()).news).toBeNull()
      expect(a.read('by-hand.txt')).toBe('x')
    }
    says.runs = [ran('b')]
    says.reach = 'one-host'
    expect((await a.enter()).news).toBeNull()
    expect(a.read('by-hand.txt')).toBe('x')
  })

  test('that is unchanged stays, although another host ran the thread and kept nothing', async () => {
    const { host, says } = hostsOf(origin)
    const a = host('a')
    a.write({ ignored: 'stays' })
    says.runs = [ran('b')]
    expect((await a.enter()).news).toBeNull()
    expect(a.read('ignored')).toBe('stays')
    a.write({ 'by-hand.txt': 'x' })
    expect((await a.enter()).news).toContain('The files are those of the repository.')
    expect(a.read('by-hand.txt')).toBeNull()
  })

  test('that git cannot read any more is made again', async () => {
    const { host, says } = hostsOf(origin)
    const a = host('a')
    says.runs = [ran('b')]
    rmSync(join(a.tree, '.git', 'HEAD'))
    expect((await a.enter()).news).toContain('An older state of the files')
    expect(a.read('a.txt')).toBe('one\n')
  })
})

test('J-10 the first host that looks settles the commit for all', async () => {
  const { host, store } = hostsOf(origin)
  const { dependencies, record } = host('a')
  const { repository, commit } = origin.workspace
  const workspace = { repository, ref: 'main', commit: null }
  const settled: object[] = []
  const enter = (verbs: object) =>
    enterWorkspace(
      { ...(dependencies as object), store: { ...store, reach: 'hosts', ...verbs } } as never,
      { id: THREAD, workspace },
    )
  const settleCommit = async (given: object) => {
    settled.push(given)
    return null
  }
  expect((await enter({ settleCommit })).commit).toBe(commit)
  expect(settled).toEqual([{ threadId: THREAD, commit }])
  expect((await enter({ settleCommit: async () => 'theirs' })).commit).toBe('theirs')
  const thread = async () => ({ workspace: { commit: 'known' } })
  expect((await enter({ thread, settleCommit })).commit).toBe('known')
  expect(settled).toHaveLength(1)
  expect((await record())?.commit).toBe(commit)
})

describe('J-10 what is kept of a work tree', () => {
  test('is nothing where nothing changed, and a switch of the branch is a change', async () => {
    const { host, objects } = hostsOf(origin)
    const a = host('a')
    expect(await a.keep(1)).toBeNull()
    expect(objects.size).toBe(0)
    a.git('checkout', '--quiet', '-b', 'topic')
    await a.keep(1)
    await a.keep(1)
    expect([...objects.keys()]).toEqual([keptName(1, 1)])
    a.git('commit', '--quiet', '--allow-empty', '-m', 'by hand')
    await a.keep(1, { kind: 'before' })
    expect([...objects.keys()]).toEqual([keptName(1, 1), keptName(1, 2)])
  })

  test('is everything again after twenty small parts, which it replaces', async () => {
    const { host, objects, notes } = hostsOf(origin)
    const a = host('a')
    a.write({ 'made.txt': 'x' })
    for (let part = 1; part <= 19; part += 1) objects.set(keptName(0, part), Buffer.from('part'))
    objects.set('checkpoints.bundle', Buffer.from('of an import'))
    await a.keep(1)
    expect(notes.at(-1)).toContain('instead of 0')
    a.write({ 'made.txt': 'y' })
    await a.keep(1)
    expect(notes.at(-1)).toContain('instead of 20')
    const c = host('c', 'clone')
    await c.enter()
    expect(c.read('made.txt')).toBe('y')
  })

  test('says why files stay here, and the fault of a program is no reason', async () => {
    const { host } = hostsOf(origin)
    const a = host('a')
    rmSync(join(a.tree, '.git'), { recursive: true })
    writeFileSync(join(a.tree, '.git'), 'gitdir: /nowhere\n')
    expect(await a.keep(1)).toBe('the repository of the work tree cannot be read any more')
    const b = host('b')
    const workspaces = b.workspaces as { alone: unknown }
    workspaces.alone = () => Promise.reject(new TypeError('a fault'))
    await expect(b.keep(1)).rejects.toThrow('a fault')
  })

  test('of a job are the states before and after each attempt, with their place', async () => {
    const { host, notes, says, objects } = hostsOf(origin)
    says.job = { id: 'job_1', threadId: THREAD, workspace: origin.workspace }
    const a = host('a')
    // The job itself takes the checkpoint before an attempt, and there is none yet.
    await a.keep(1, { kind: 'before' })
    await a.keep(1)
    expect([notes, objects.size]).toEqual([[], 0])
    const taking = { jobId: 'job_1', kind: 'before', attempt: 3, at: 1 } as const
    await takeCheckpoint(origin.run, a.repository, taking)
    await a.keep(1, { kind: 'before' })
    await a.keep(1)
    const fence = JSON.stringify({ threadId: THREAD, token: 1 })
    expect(notes).toEqual([
      `kept by job_1 ${fence} instead of 0`,
      ...['place of job_1 on a', `kept by job_1 ${fence} instead of 0`],
    ])
    expect([...objects.keys()]).toEqual([keptName(1, 1), keptName(1, 2)])
    const kept = async () =>
      (await listCheckpoints(origin.run, a.repository, 'job_1')).map(({ kind, attempt }) => [
        kind,
        attempt,
      ])
    expect(await kept()).toEqual([
      ['before', 3],
      ['after', 3],
    ])
    // A person restores a checkpoint: the next holder, on any host, has a higher token.
    await keepRestored(a.dependencies, { job: says.job as never, repository: a.repository })
    expect(await kept()).toEqual([
      ['before', 3],
      ['after', 3],
      ['safety', null],
    ])
    expect([...objects.keys()].at(-1)).toBe(keptName(1, 3))
    expect(notes.at(-1)).toContain('"token":null')
    const b = host('b')
    await b.enter()
    expect((await b.record())?.kept).toBe(keptName(1, 3))
  })
})

describe('J-10 a run in a repository', () => {
  const input = { runId: 'run_1', lease: { threadId: THREAD, token: 1 }, signal: undefined }

  test('keeps what somebody changed before it, and what it changed itself', async () => {
    const { host, store, objects } = hostsOf(origin)
    const a = host('a')
    const run = { id: 'run_1', jobId: null, attempt: 1 }
    const dependencies = {
      ...(a.dependencies as object),
      store: { ...store, reach: 'hosts', run: async () => run },
    }
    a.write({ 'by-hand.txt': 'x' })
    const turn = { ...input, workspace: origin.workspace }
    const entered = await enterForRun(dependencies as never, turn as never)
    expect(entered).toMatchObject({ workDir: a.tree, owner: THREAD })
    expect([...objects.keys()]).toEqual([keptName(1, 1)])
    a.write({ 'made.txt': 'x' })
    await a.workspaces.note(THREAD, { news: 'new files' })
    expect(
      await leaveAfterRun(dependencies as never, turn as never, { entered, run } as never),
    ).toBeNull()
    expect(await a.record()).toMatchObject({ kept: keptName(1, 2), news: null })
  })

  test('does not begin without a work tree, and says why; a cancel and a fault are no reason', async () => {
    const enter = (error: Error) => {
      const workspaces = { alone: () => Promise.reject(error) }
      const store = { jobOfThread: async () => null }
      return enterForRun(
        { workspaces, store } as never,
        { ...input, workspace: origin.workspace } as never,
      )
    }
    const gone = new RepriseError('conflict', 'there is no repository', '')
    expect(await enter(gone)).toBe(gone)
    for (const error of [new RepriseError('cancelled', 'stopped', ''), new TypeError('a fault')])
      await expect(enter(error)).rejects.toBe(error)
  })
})

test('J-10 a work tree of a job is current when nobody has kept a later state', async () => {
  const current = (here: object | null, ...names: readonly string[]) => {
    const workspaces = { find: async () => here }
    const vault = { objects: { list: async () => names.map(name => ({ name })) } }
    return isCurrent({ workspaces, vault } as never, { id: 'job_1', threadId: THREAD })
  }
  expect(await current(null)).toBe(false)
  expect(await current({ kept: null })).toBe(true)
  expect(await current({ kept: null }, keptName(1, 1))).toBe(false)
  expect(await current({ kept: keptName(1, 1) }, keptName(1, 1), 'checkpoints.bundle')).toBe(true)
  expect(await current({ kept: keptName(1, 9) }, keptName(1, 9), keptName(2, 1))).toBe(false)
})
