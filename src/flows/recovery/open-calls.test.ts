import { expect, test } from 'vitest'
import { openCallsOf } from './open-calls.ts'

const open = { id: 'a', result: null }
const done = { id: 'b', result: '' }

test('F-7 the calls without a result in the answer of a run are open; without an answer none are', async () => {
  const store = { message: async (id: string) => (id === 'msg_1' ? { tools: [open, done] } : null) }
  const of = (run: object | undefined) => openCallsOf({ store } as never, run as never)
  expect(await of({ answerMessageId: 'msg_1' })).toEqual([open])
  for (const run of [undefined, { answerMessageId: null }, { answerMessageId: 'gone' }])
    expect(await of(run)).toEqual([])
})
