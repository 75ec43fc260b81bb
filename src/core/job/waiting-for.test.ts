import { expect, test } from 'vitest'
import { type WaitingFor, waitingFor, waitingInWords, waitingLine } from './waiting-for.ts'

const NOW = 100_000
const JOB = {
  status: 'queued' as const,
  dueAt: 40_000,
  nextAttemptAt: 40_000,
  host: 'build-1',
  workspace: null,
  sharedRoot: null,
  labels: [] as string[],
}
const WORKER = {
  host: 'build-1',
  sharedRoots: [] as string[],
  labels: [] as string[],
  state: 'working' as const,
  active: 0,
  concurrency: 2,
  beatAt: 99_000,
}

test('J-1 a job on which workers failed says how often and why', () => {
  const failed = { code: 'work-failed', error: 'no space', at: NOW, since: 1 } as const
  expect(waitingInWords({ ...failed, failures: 1 }).words).toBe('a worker failed on it: no space')
  expect(waitingInWords({ ...failed, failures: 3 }).words).toBe(
    'workers failed on it 3 times in a row; the last error: no space',
  )
  expect(waitingInWords({ ...failed, error: '', failures: 1 }).words).toBe(
    'a worker failed on it: nobody recorded an error',
  )
})

test.each([
  ['a worker of its host is free', JOB, [WORKER], null],
  ['it is not due', { ...JOB, nextAttemptAt: NOW + 1 }, [], null],
  ['it runs', { ...JOB, status: 'running' as const, nextAttemptAt: null }, [], null],
  ['it is over', { ...JOB, status: 'dead' as const, nextAttemptAt: null }, [], null],
  ['nobody works', JOB, [], { code: 'no-worker', since: 40_000 }],
  [
    'the only worker drains',
    JOB,
    [{ ...WORKER, state: 'draining' as const }],
    { code: 'no-worker', since: 99_000 },
  ],
  [
    'the worker of its host is gone, and another host has one',
    JOB,
    [
      { ...WORKER, state: 'gone' as const },
      { ...WORKER, host: 'build-2' },
    ],
    { code: 'no-worker-for-host', host: 'build-1', since: 99_000 },
  ],
  [
    'only another host works, which has been there for longer',
    JOB,
    [{ ...WORKER, host: 'build-2' }],
    { code: 'no-worker-for-host', host: 'build-1', since: 40_000 },
  ],
  [
    'nobody shares its directory',
    { ...JOB, sharedRoot: '/srv' },
    [WORKER],
    { code: 'no-worker-for-root', root: '/srv', since: 40_000 },
  ],
  [
    'its host lacks a label',
    { ...JOB, labels: ['gpu', 'big'] },
    [{ ...WORKER, labels: ['gpu'] }],
    { code: 'no-worker-with-labels', labels: ['gpu', 'big'], since: 40_000 },
  ],
  [
    'the labels are on another host only',
    { ...JOB, labels: ['gpu'] },
    [{ ...WORKER, host: 'build-2', labels: ['gpu'] }],
    { code: 'no-worker-for-host', host: 'build-1', since: 40_000 },
  ],
  [
    'all that can take it are busy',
    JOB,
    [
      { ...WORKER, active: 2 },
      { ...WORKER, host: 'build-2' },
    ],
    { code: 'workers-busy', workers: 1, since: 40_000 },
  ],
  [
    'a retry waits from its own time on',
    { ...JOB, status: 'waiting' as const, nextAttemptAt: 70_000 },
    [],
    { code: 'no-worker', since: 70_000 },
  ],
  [
    'a job without a host fits everywhere',
    { ...JOB, host: null },
    [{ ...WORKER, host: 'b' }],
    null,
  ],
])('J-1 why no worker takes a job: %s', (_, job, workers, expected) => {
  expect(waitingFor(job, workers, NOW)).toEqual(expected)
})

test.each<[WaitingFor, string, string]>([
  [{ code: 'no-worker', since: 0 }, 'nobody works on jobs', '`reprise serve`'],
  [
    { code: 'no-worker-for-host', host: 'build-1', since: 0 },
    'no worker for host build-1',
    '`reprise worker` there',
  ],
  [
    { code: 'no-worker-for-root', root: '/srv', since: 0 },
    'no worker shares /srv',
    '--shared-root /srv',
  ],
  [
    { code: 'no-worker-with-labels', labels: ['gpu'], since: 0 },
    'no worker with label gpu',
    'reprise worker --label gpu',
  ],
  [
    { code: 'no-worker-with-labels', labels: ['a', 'b'], since: 0 },
    'no worker with labels a, b',
    '--label a --label b',
  ],
  [{ code: 'workers-busy', workers: 1, since: 0 }, 'the worker is busy', '`reprise workers`'],
  [{ code: 'workers-busy', workers: 3, since: 0 }, 'all 3 workers are busy', '`reprise workers`'],
])('U-4 %j in words', (waiting, words, hint) => {
  const said = waitingInWords(waiting)
  expect(said).toMatchObject({ ...waiting, words })
  expect(said.hint).toContain(hint)
})

test('a line says since when', () => {
  const waiting = waitingInWords({ code: 'no-worker-for-host', host: 'x', since: 0 })
  expect(waitingLine(waiting, 125_000)).toBe('no worker for host x, for 2 min 5 s')
})
