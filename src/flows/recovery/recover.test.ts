import { expect, test } from 'vitest'
import type { Dependencies } from '../dependencies.ts'
import { recover } from './recover.ts'

const OF_US = { host: 'here', pid: 1, startTime: 'now' }
const DEAD = { ...OF_US, pid: 2 }
const ELSEWHERE = { ...OF_US, host: 'elsewhere' }

test.each([
  ['a living process', false, OF_US, true],
  ['a dead process, before its lease ends', true, DEAD, false],
  ['another machine, before its lease ends', false, ELSEWHERE, false],
  ['another machine, after its lease has ended', true, ELSEWHERE, true],
])('I1 a run of %s is taken over: %s', async (_, isTakenOver, owner, expired) => {
  const asked: string[] = []
  const store = {
    questions: async () => [],
    openRuns: async () => [{ run: { id: 'run_1', status: 'running' }, owner, expired }],
    takeOver: async (runId: string) => {
      asked.push(runId)
      return null
    },
  }
  const isAlive = ({ host, pid }: typeof OF_US) => (host === 'here' ? pid === 1 : null)
  const clock = { now: () => 1 }
  const dependencies = { store, isAlive, clock, owner: OF_US, timing: { leaseMs: 1 } }
  await recover(dependencies as unknown as Dependencies)
  expect(asked).toEqual(isTakenOver ? ['run_1'] : [])
})

test.each([
  ['its own process', 'run_2', 'run_2'],
  ['a process that an earlier run started', 'run_1', 'run_1'],
  ['a process that an earlier version started', null, 'run_2'],
])(
  'W-1 U-3 recovery of a run on %s ends what carries the mark of that run',
  async (_, processRunId, marked) => {
    const ended: string[] = []
    const run = { id: 'run_2', status: 'running', processRunId }
    const dependencies = {
      store: {
        questions: async () => [],
        openRuns: async () => [{ run, owner: DEAD, expired: false }],
        takeOver: async () => ({ threadId: 'thr_1' }),
      },
      runner: { endLeftovers: async (marker: string) => void ended.push(marker) },
      // The end itself is not written here.
      live: { writeEnd: (_: string, write: () => Promise<void>) => write().catch(() => {}) },
      isAlive: () => false,
      clock: { now: () => 1 },
      owner: OF_US,
      timing: { leaseMs: 1 },
    }
    await recover(dependencies as unknown as Dependencies)
    expect(ended).toEqual([marked])
  },
)
