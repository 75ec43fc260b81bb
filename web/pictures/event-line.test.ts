import { expect, test } from 'vitest'
import type { EventBody } from '../../src/core/run/run-events.ts'
import { eventLine } from './event-line.ts'

const line = (body: EventBody) => eventLine({ runId: 'r', seq: 1, at: 0, ...body })

test.each<readonly [EventBody, string]>([
  [{ type: 'text', text: ' Hello ' }, 'Hello'],
  [{ type: 'tool', id: 'a', name: 'Bash', input: '{"command":"ls"}', parentId: null }, 'Bash ls'],
  [
    { type: 'retry', attempt: 2, maxAttempts: 5, delayMs: 1, status: 529, error: 'overloaded' },
    '2 of 5: overloaded',
  ],
  [{ type: 'ended', status: 'completed', failure: null, continuedBy: null }, 'completed'],
  [{ type: 'text', text: 'x'.repeat(500) }, `${'x'.repeat(400)}…`],
])('%o', (body, text) => {
  expect(line(body)).toBe(text)
})
