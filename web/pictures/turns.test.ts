import { expect, test } from 'vitest'
import type { BranchMessage } from '../../src/core/conversation/versions.ts'
import type { Run } from '../../src/core/run/run.ts'
import { turnsOf } from './turns.ts'

const said = (id: string, role: 'user' | 'assistant', runId: string | null = null) =>
  ({ id, role, runId, text: id, tools: [] }) as unknown as BranchMessage

const ran = (id: string, promptMessageId: string, queuedAt: number, action?: string) =>
  ({ id, promptMessageId, queuedAt, decision: action ? { action } : null }) as unknown as Run

test('each prompt begins a turn; its runs and answers belong to it', () => {
  const messages = [
    said('p1', 'user'),
    said('a1', 'assistant', 'r1'),
    said('p2', 'user'),
    said('a2', 'assistant', 'r3'),
    said('p3', 'user'),
  ]
  const runs = [
    ran('r3', 'p2', 30, 'replay'),
    ran('r2', 'p2', 20, 'resume'),
    ran('r1', 'p1', 10, 'start'),
    ran('r4', 'p3', 40),
    ran('elsewhere', 'gone', 5),
  ]
  const turns = turnsOf(messages, runs)
  expect(
    turns.map(({ prompt, answers, runs: own, stroke }) => [
      prompt?.id,
      answers.map(({ id }) => id),
      own.map(({ id }) => id),
      stroke,
    ]),
  ).toEqual([
    ['p1', ['a1'], ['r1'], 'none'],
    ['p2', ['a2'], ['r2', 'r3'], 'new'],
    ['p3', [], ['r4'], 'same'],
  ])
  expect(turns[1]?.run?.id).toBe('r3')
})

test('a thread may begin with an answer, and no line joins turns that ran elsewhere', () => {
  const turns = turnsOf([said('a0', 'assistant'), said('p1', 'user')], [])
  expect(turns.map(one => [one.prompt?.id ?? null, one.answers.length, one.stroke])).toEqual([
    [null, 1, 'none'],
    ['p1', 0, 'none'],
  ])
})
