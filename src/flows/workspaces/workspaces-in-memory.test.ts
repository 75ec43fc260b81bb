// Which work trees may go, and what a repository looks like before anybody asked for it.
import { describe, expect, test } from 'vitest'
import { smallWorld } from '../../testing/in-process-agent.ts'
import { checkedPlace } from './checked-place.ts'
import { copyKept } from './copy-kept.ts'
import { keptName } from './kept-names.ts'
import { enterForRun, leaveAfterRun } from './run-in-workspace.ts'
import { sweepWorkspaces, sweepWorkspacesWhileOpen } from './sweep-workspaces.ts'

const NOW = 1_000
const KEEP_MS = 100

describe('J-10 a work tree', () => {
  type Given = {
    readonly usedAt?: number
    readonly keepMs?: number | null
    readonly thread?: object | null
    readonly job?: object | null
    readonly runs?: readonly object[]
    readonly chain?: object | null
    readonly removed?: readonly string[]
  }
  function mayGo(given: Given): Promise<boolean> {
    const store = {
      thread: async () => (given.thread === undefined ? { kind: 'job' } : given.thread),
      jobOfThread: async () => given.job ?? null,
      listRuns: async () => given.runs ?? [{ chainId: 'chn_1' }],
      chain: async () => given.chain ?? null,
      removedThreads: async () => given.removed ?? [],
    }
    const keepMs = given.keepMs === undefined ? KEEP_MS : given.keepMs
    const workspaceSettings = { keepMs, maxCacheBytes: 7 }
    const workspaces = {
      sweep: async (asked: {
        now: number
        mayGo(id: string, usedAt: number): Promise<boolean>
      }) => {
        expect(asked).toMatchObject({ now: NOW, keepMs, maxCacheBytes: 7 })
        return asked.mayGo('thr_1', given.usedAt ?? 0)
      },
    }
    const clock = { now: () => NOW }
    return sweepWorkspaces({ store, workspaces, workspaceSettings, clock } as never) as never
  }
  const job = (status: string, endedAt: number | null = 0) => ({ job: { status, endedAt } })
  const chain = (status: string, endedAt: number | null = 0) => ({ chain: { status, endedAt } })

  test.each<[string, Given, boolean]>([
    ['of a thread that is gone', { thread: null }, true],
    [
      'V-6 of a thread that was removed on another host',
      { removed: ['thr_1'], keepMs: null },
      true,
    ],
    ['that was used a moment ago', { thread: null, usedAt: NOW - KEEP_MS }, false],
    ['that was used too long ago', { thread: null, usedAt: NOW - KEEP_MS - 1 }, true],
    ['where nothing is ever removed', { thread: null, keepMs: null }, false],
    ['of a thread of a person', { thread: { kind: 'chat' } }, false],
    ['of a job that is over', job('completed'), true],
    ['of a job that ended a moment ago', job('completed', NOW - KEEP_MS), false],
    ['of a job that waits', job('waiting'), false],
    ['of a chain that is over', chain('resolved'), true],
    ['of a chain that ended a moment ago', chain('failed', NOW - KEEP_MS), false],
    ['of a chain that runs', chain('running'), false],
    ['of a chain that waits for a person', chain('held'), false],
    ['of a chain that is not known', { chain: null }, false],
    ['of a thread without a run', { runs: [], chain: { status: 'resolved', endedAt: 0 } }, false],
  ])('%s may go: %s', async (_, given, expected) => {
    expect(await mayGo(given)).toBe(expected)
  })

  test('is swept every hour until the process closes, also after a sweep that failed', async () => {
    const closing = new AbortController()
    const slept: number[] = []
    let sweeps = 0
    const clock = {
      now: () => NOW,
      sleep: async (ms: number, signal: AbortSignal) => {
        expect(signal).toBe(closing.signal)
        slept.push(ms)
        if (slept.length === 2) closing.abort()
      },
    }
    const workspaces = {
      sweep: async () => {
        sweeps += 1
        throw new Error('the disk is full')
      },
    }
    const live = { closing: closing.signal }
    const workspaceSettings = { keepMs: 1 }
    await sweepWorkspacesWhileOpen({ clock, live, workspaces, workspaceSettings } as never)
    expect([slept, sweeps]).toEqual([[3_600_000, 3_600_000], 2])
  })
})

describe('J-10 the place of new work', () => {
  const REPOSITORY = 'https://example.org/r.git'
  const place = async (wanted: object) =>
    checkedPlace(
      {
        files: await smallWorld(),
        owner: { host: 'here' },
        workspaces: { pathOf: (id: string) => `/trees/${id}` },
      } as never,
      wanted as never,
      'thr_1',
    )

  test('is a directory of this host, or a repository that any host can check out', async () => {
    expect(await place({ workDir: '/project' })).toEqual({
      ...{ workDir: '/project', host: 'here', workspace: null },
    })
    const workspace = { repository: REPOSITORY, ref: null, commit: null }
    expect(await place({ workspace: { repository: REPOSITORY } })).toEqual({
      ...{ workDir: '/trees/thr_1', host: null, workspace },
    })
    expect(await place({ workspace: { repository: REPOSITORY, ref: 'main' } })).toMatchObject({
      workspace: { ref: 'main' },
    })
  })

  test.each([
    [{}, 'the request does not say where to work'],
    [
      { workDir: '/project', workspace: { repository: REPOSITORY } },
      'work happens in a directory or in a repository, not in both',
    ],
  ])('U-4 with %j is refused, and the hint names both ways', async (wanted, message) => {
    await expect(place(wanted)).rejects.toMatchObject({
      ...{ code: 'bad-input', message },
      hint: 'Give either `workDir` (--cwd) or `workspace` (--repository).',
    })
  })

  test.each([[{ repository: '--upload-pack=x' }], [{ repository: REPOSITORY, ref: '--help' }]])(
    'U-4 S11 in %j is refused before git hears of it',
    async workspace => {
      await expect(place({ workspace })).rejects.toMatchObject({ code: 'bad-input' })
    },
  )
})

test('J-10 a copy of a thread begins with what the thread kept, under the owner of its files', async () => {
  const [first, second] = [keptName(5, 1), keptName(5, 2)]
  const kept: unknown[] = []
  const owners: string[] = []
  const objects = {
    list: async (owner: string) => {
      owners.push(owner)
      return [{ name: first }, { name: second }, { name: 'another file' }]
    },
    get: async ({ name }: { name: string }) =>
      name === first ? Buffer.from('bundle') : Buffer.alloc(0),
    put: async (key: object, bytes: Buffer) => void kept.push([key, bytes.toString()]),
  }
  const copy = (job: object | null) =>
    copyKept(
      { store: { jobOfThread: async () => job }, vault: { objects } } as never,
      { id: 'thr_1' },
      'thr_2',
    )
  await copy(null)
  expect(kept).toEqual([[{ owner: 'thr_2', name: keptName(0, 1) }, 'bundle']])
  await copy({ id: 'job_1' })
  expect(owners).toEqual(['thr_1', 'job_1'])
})

describe('J-10 a run', () => {
  test('of a thread in a directory enters no work tree', async () => {
    expect(await enterForRun({} as never, { workspace: null } as never)).toBeNull()
  })

  test('says when its files stay on this host, and why', async () => {
    // There is no repository any more.
    const git = async () => ({ code: 128, stdout: Buffer.alloc(0), stderr: 'not a git repository' })
    const ran = { entered: { workDir: '/nowhere' }, run: {} }
    const notice = await leaveAfterRun({ git } as never, { lease: {} } as never, ran as never)
    expect(notice).toEqual({
      type: 'notice',
      code: 'files-not-kept',
      text: 'The files of this run are on this host only (the repository of the work tree cannot be read any more). Another host would go on from an earlier state.',
    })
  })
})
