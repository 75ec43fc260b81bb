import { expect, test } from 'vitest'
import { parseLogLine } from './log-line.ts'

test('a line of the log has its level in words, and what else it says', () => {
  const line = '{"level":40,"time":"2026-01-01T00:00:00.000Z","pid":7,"status":500,"msg":"request"}'
  expect(parseLogLine(line)).toEqual({
    time: '2026-01-01T00:00:00.000Z',
    level: 'warn',
    message: 'request',
    fields: { status: 500 },
    raw: null,
  })
})

test.each(['{"level":30,"ti', '[1]', 'null', 'Segmentation fault'])(
  'a line that is not ours is kept as it is: %s',
  line => {
    expect(parseLogLine(line)).toMatchObject({ raw: line, level: null })
  },
)
