import { expect, test } from 'vitest'
import type { RunEvent } from '../../src/core/run/run-events.ts'
import { refusedIn } from './refused-calls.ts'

const event = (fields: Record<string, unknown>) =>
  ({ runId: 'run_1', seq: 1, at: 0, ...fields }) as unknown as RunEvent

test('only calls that did not run are refused, each with its own input', () => {
  const tool = { type: 'tool', name: 'Bash', parentId: null }
  const result = { type: 'tool-result', isError: true, text: 'tier 1 may\nnot' }
  const events = [
    event({ ...tool, id: 'a', input: '{"command":"helm rollback"}' }),
    event({ ...tool, id: 'b', input: '{"command":"ls"}' }),
    event({ ...result, id: 'a', denied: true }),
    event({ ...result, id: 'b', denied: false }),
    event({ ...result, id: 'c', denied: true }),
  ]
  expect(refusedIn(events)).toEqual([
    { id: 'a', line: 'Bash helm rollback', words: 'tier 1 may not' },
    { id: 'c', line: 'a call', words: 'tier 1 may not' },
  ])
})
