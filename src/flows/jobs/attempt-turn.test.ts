// What an attempt of a job gets: its options, its limits, and the reason that its prompt names.
import { expect, test } from 'vitest'
import { DEFAULT_JOB_POLICY } from '../../core/job/job-policy.ts'
import { beforeAttempt, optionsOf, settingsOf } from './attempt-turn.ts'

const POLICY = { ...DEFAULT_JOB_POLICY, timeoutMs: 10, idleTimeoutMs: 5, budgetUsd: null }
const JOB = {
  ...{ agent: 'one', model: null, workspace: null, workDir: '/project', permissionMode: 'plan' },
  ...{ allowedTools: ['Read'], disallowedTools: ['Bash'], instructions: null, nextHow: 'resume' },
  policy: POLICY,
}
const SAME = {
  agent: 'one',
  permissionMode: 'plan',
  allowedTools: ['Read'],
  disallowedTools: ['Bash'],
}

test.each<[string, object, object]>([
  ['a plain job', {}, { ...SAME, workDir: '/project', freshSession: false }],
  [
    'a job with a model and instructions',
    { model: 'sonnet', instructions: 'Be brief.' },
    {
      ...SAME,
      workDir: '/project',
      freshSession: false,
      model: 'sonnet',
      instructions: 'Be brief.',
    },
  ],
  ['a job in a repository', { workspace: { repository: 'r' } }, { ...SAME, freshSession: false }],
  [
    'a job that starts afresh',
    { nextHow: 'fresh' },
    { ...SAME, workDir: '/project', freshSession: true },
  ],
  [
    'a job with a budget, of which the attempts before have used a part',
    { policy: { ...POLICY, budgetUsd: 2 } },
    { ...SAME, workDir: '/project', freshSession: false, budgetUsd: 1.5 },
  ],
])('J-1 the turn of %s gets what the job says', (_, change, options) => {
  expect(optionsOf({ ...JOB, ...change } as never, 0.5)).toEqual(options)
})

test('J-2 the limits of a job replace the general ones, and its session goes on in a directory that was moved', () => {
  expect(settingsOf(JOB as never, { runs: [], spentUsd: 0.5 })).toEqual({
    mustContinue: false,
    limits: { totalMs: 10, silenceMs: 5 },
    spentByJobUsd: 0.5,
    resume: { maxFruitlessResumes: POLICY.maxFruitlessResumes, onWorkDirChange: 'relocate' },
  })
  const careful = { ...JOB, policy: { ...POLICY, resume: 'never', carry: 'note' } }
  expect(settingsOf(careful as never, { runs: [], spentUsd: 0 }).resume).toMatchObject({
    mode: 'never',
    carry: 'note',
  })
})

test.each([
  ['stop', [{ failure: { toolsRan: 1 } }, { failure: null }], true],
  ['stop', [{ failure: { toolsRan: 0 } }, { failure: null }], false],
  ['stop', [], false],
  ['retry', [{ failure: { toolsRan: 1 } }], false],
])(
  'J-4 with %j and attempts %j the session must be continued: %s',
  (onSideEffects, runs, expected) => {
    const job = { ...JOB, policy: { ...POLICY, onSideEffects } }
    expect(settingsOf(job as never, { runs: runs as never, spentUsd: 0 }).mustContinue).toBe(
      expected,
    )
  },
)

const run = (id: string, failure: string | null, startedAt: number | null = 1) => ({
  ...{ id, startedAt, failure: failure && { class: failure } },
})
const said = (...ids: readonly string[]) => ids.map(runId => ({ runId }))

test.each<[string, readonly object[], readonly object[], string, string | undefined]>([
  ['a person asks for it', [run('a', null)], said('a', 'a'), 'asked', 'a'],
  [
    'the attempt before failed',
    [run('a', null), run('b', 'network')],
    said('a', 'b'),
    'network',
    'b',
  ],
  [
    'its messages were removed by a restore',
    [run('a', null), run('b', 'network')],
    said('a'),
    'restored',
    'b',
  ],
  [
    'the attempt before never began',
    [run('a', null), run('b', 'shutdown', null)],
    said('a'),
    'shutdown',
    'a',
  ],
  ['no attempt ever began', [run('a', 'shutdown', null)], said('x'), 'shutdown', undefined],
  ['there was no attempt', [], said('x'), 'asked', undefined],
])('J-2 J-6 the next attempt is made because %s', (_, runs, branch, happened, last) => {
  const found = beforeAttempt(runs as never, branch as never)
  expect([found.happened, found.last?.id]).toEqual([happened, last])
})
