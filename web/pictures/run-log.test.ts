import { expect, test } from 'vitest'
import type { RunEvent } from '../../src/core/run/run-events.ts'
import { logWith, NO_LOG } from './run-log.ts'

const event = (seq: number, fields: Record<string, unknown>) =>
  ({ runId: 'run_1', seq, at: seq * 10, ...fields }) as unknown as RunEvent

test('pieces of text are one line; calls, failures and notes are lines of their own', () => {
  const events = [
    event(1, { type: 'text', text: 'I look ' }),
    event(2, { type: 'text', text: 'first.' }),
    event(3, { type: 'tool', name: 'Bash', input: '{"command":"ls"}', id: 'a', parentId: null }),
    event(4, { type: 'tool-result', id: 'a', isError: false, denied: false, text: 'fine' }),
    event(5, { type: 'tool-result', id: 'b', isError: true, denied: false, text: 'no such file' }),
    event(6, { type: 'usage', requestId: 'q', usage: { inputTokens: 5 } }),
    event(7, { type: 'ended', status: 'completed', failure: null, continuedBy: null }),
  ]
  const log = logWith(NO_LOG, events)
  expect(log.lines.map(({ kind, text, at }) => [kind, text, at])).toEqual([
    ['said', 'I look first.', 10],
    ['did', 'Bash ls', 30],
    ['bad', 'no such file', 50],
    ['did', 'completed', 70],
  ])
  expect(log.reported).toMatchObject([{ requestId: 'q', at: 60 }])
  expect(logWith(log, events)).toEqual(log)
})

test('a long log keeps its latest lines and says how many it left out', () => {
  const events = Array.from({ length: 1_000 }, (_, index) =>
    event(index + 1, { type: 'notice', code: 'x', text: `line ${index + 1}` }),
  )
  const { lines, leftOut, seq } = logWith(NO_LOG, events)
  expect([lines.length, leftOut, seq, lines[0]?.text]).toEqual([300, 700, 1_000, 'line 701'])
})
