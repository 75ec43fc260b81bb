// How a call gets its thread: at once, after the runs before it, or not at all.
import { expect, test } from 'vitest'
import { holdThread } from './hold-thread.ts'

const LEASE = { threadId: 'thr_1', token: 1 }

type Given = {
  /** The thread is free. */
  readonly isFree?: boolean
  /** What each claim gives; the last one stays. */
  readonly claims?: readonly object[]
  readonly waitMs?: number
  /** Runs whose process has died. */
  readonly orphans?: readonly object[]
  readonly permissionMode?: string | null
}

async function held(given: Given = {}) {
  const notes: string[] = []
  const turns: object[] = []
  const claims = [...(given.claims ?? [])]
  const orphans = (given.orphans ?? []).map(run => ({ run, owner: {}, expired: true }))
  let now = 100
  let ids = 0
  const dependencies = {
    clock: {
      now: () => now,
      sleep: async (ms: number) => {
        notes.push(`slept ${ms}`)
        now += ms
      },
    },
    random: { id: (kind: string) => `${kind}_${++ids}` },
    owner: { host: 'here', pid: 7, startTime: '1' },
    timing: { leaseMs: 30, queuePollMs: 10, renewMs: 10 },
    tracing: { current: () => 'trace' },
    live: { saidWaitingAt: Number.NEGATIVE_INFINITY },
    isAlive: () => false,
    store: {
      submitAndClaim: async (turn: { run: object }, at: number, leaseMs: number) => {
        turns.push({ ...turn, at, leaseMs })
        return { run: turn.run, lease: given.isFree === false ? null : LEASE }
      },
      claimTurn: async (id: string, _: object, leaseMs: number) => {
        notes.push(`claim ${id} ${leaseMs}`)
        return claims.length > 1 ? claims.shift() : claims[0]
      },
      requestCancel: async (id: string, at: number) => void notes.push(`cancel ${id} at ${at}`),
      reach: 'hosts',
      sayWaiting: async () => void notes.push('says that it waits'),
      questions: async () => [],
      openRuns: async () => orphans.splice(0),
      abandonQueued: async (id: string) => notes.push(`ended ${id}`) > 0,
    },
  }
  const agent = { name: 'one', adapter: { words: { defaultMode: 'default' } } }
  const asked = {
    ...{ model: 'm', allowedTools: ['Read'], disallowedTools: ['Bash'] },
    permissionMode: given.permissionMode ?? null,
  }
  const wanted = { agent, workDir: '/project', asked, waitMs: given.waitMs ?? 0 }
  const thread = { id: 'thr_1' }
  const found = await holdThread(dependencies as never, thread as never, wanted as never)
  return { found, turns, notes }
}

test('W-2 a call holds a free thread at once, with a run that says what the caller asked for', async () => {
  const { found, turns, notes } = await held()
  expect(found).toMatchObject({ thread: { id: 'thr_1' }, lease: LEASE, run: { id: 'run_1' } })
  expect(turns).toEqual([
    {
      run: {
        ...{ id: 'run_1', agent: 'one', model: 'm', threadId: 'thr_1', workDir: '/project' },
        ...{ permissionMode: 'default', allowedTools: ['Read'], disallowedTools: ['Bash'] },
        ...{ trust: 'project', sandboxWanted: 'none', freshSession: false, questions: 'none' },
      },
      message: expect.objectContaining({
        ...{ id: 'msg_2', role: 'user', runId: 'run_1', text: '(the prompt has not been read)' },
      }),
      ...{ owner: { host: 'here', pid: 7, startTime: '1' }, trace: 'trace', at: 100, leaseMs: 30 },
    },
  ])
  expect(notes).toEqual([])
  expect((await held({ permissionMode: 'plan' })).turns).toMatchObject([
    { run: { permissionMode: 'plan' } },
  ])
})

const WAITS = { state: 'waits' }
const CLAIMED = { state: 'claimed', lease: LEASE }

test('W-2 V-4 a call waits for the runs before it, and other hosts hear that it lives', async () => {
  const { found, notes } = await held({
    isFree: false,
    claims: [WAITS, WAITS, CLAIMED],
    waitMs: 60,
  })
  expect(found).toMatchObject({ thread: { id: 'thr_1' }, lease: LEASE, run: { id: 'run_1' } })
  expect(notes).toEqual([
    ...['claim run_1 30', 'says that it waits', 'slept 10'],
    ...['claim run_1 30', 'slept 10', 'claim run_1 30'],
  ])
})

test('W-2 V-4 a call that has waited for long enough leaves the queue', async () => {
  const { found, notes } = await held({ isFree: false, claims: [WAITS], waitMs: 20 })
  expect(found).toBeNull()
  expect(notes.filter(note => note === 'slept 10')).toHaveLength(2)
  expect(notes.at(-1)).toBe('cancel run_1 at 120')
  expect((await held({ isFree: false, claims: [WAITS] })).notes).toEqual([
    ...['claim run_1 30', 'cancel run_1 at 100'],
  ])
})

test('W-2 a call whose run somebody has cancelled meanwhile gets no thread', async () => {
  const { found, notes } = await held({ isFree: false, claims: [{ state: 'ended' }], waitMs: 60 })
  expect([found, notes]).toEqual([null, ['claim run_1 30']])
})

test('W-2 a call ends the run of a process that died, and does not wait for it', async () => {
  const orphans = [{ id: 'run_9', status: 'queued', threadId: 'thr_1', jobId: null }]
  const { found, notes } = await held({ isFree: false, claims: [WAITS, CLAIMED], orphans })
  expect(found).not.toBeNull()
  expect(notes).toEqual(['claim run_1 30', 'ended run_9', 'claim run_1 30'])
})
