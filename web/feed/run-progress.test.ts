import { expect, test } from 'vitest'
import type { EventBody, RunEvent } from '../../src/core/run/run-events.ts'
import { NO_PROGRESS, progressWith } from './run-progress.ts'

const events = (...bodies: readonly EventBody[]): readonly RunEvent[] =>
  bodies.map((body, index) => ({
    runId: 'run_1',
    seq: index + 1,
    at: 1_000 * (index + 1),
    ...body,
  }))

const LOG = events(
  { type: 'text', text: 'I look ' },
  { type: 'tool', id: 'a', name: 'Read', input: '{"file_path":"x"}', parentId: null },
  { type: 'tool', id: 'b', name: 'Bash', input: '{"command":"ls"}', parentId: null },
  { type: 'tool-result', id: 'b', isError: true, denied: false, text: 'exit 1' },
  { type: 'text', text: 'at it.' },
  {
    type: 'question',
    toolUseId: 'c',
    kind: 'permission',
    tool: 'Edit',
    input: '{}',
    items: [],
    requestId: null,
  },
)

test('text is joined, and a result belongs to its call', () => {
  const progress = progressWith(NO_PROGRESS, LOG)
  expect(progress).toMatchObject({ seq: 6, text: 'I look at it.', lastEventAt: 6_000 })
  expect(progress.tools.map(({ name, result, isError }) => [name, result, isError])).toEqual([
    ['Read', null, false],
    ['Bash', 'exit 1', true],
  ])
  expect(progress.asks).toEqual([{ toolUseId: 'c', tool: 'Edit' }])
})

test('events that come twice are counted once', () => {
  const once = progressWith(NO_PROGRESS, LOG)
  expect(progressWith(once, LOG)).toBe(once)
})

test('the end of a run closes its question', () => {
  const [, , , , , asked] = LOG
  const ended = progressWith(progressWith(NO_PROGRESS, asked ? [asked] : []), [
    {
      runId: 'run_1',
      seq: 7,
      at: 9_000,
      type: 'ended',
      status: 'completed',
      failure: null,
      continuedBy: null,
    },
  ])
  expect(ended).toMatchObject({ isEnded: true, asks: [], seq: 7 })
})

test('an answer closes its own question; a call that a rule allowed closes none', () => {
  const asking = progressWith(NO_PROGRESS, LOG)
  const answer = (id: string, seq: number) =>
    ({
      runId: 'run_1',
      seq,
      at: 9_000,
      type: 'answer',
      id,
      state: 'answered',
      answer: null,
    }) as const
  const other = progressWith(asking, [answer('other', 7)])
  expect(other.asks).toEqual(asking.asks)
  expect(progressWith(other, [answer('c', 8)]).asks).toEqual([])
})
