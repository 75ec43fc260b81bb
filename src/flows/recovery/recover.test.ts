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
