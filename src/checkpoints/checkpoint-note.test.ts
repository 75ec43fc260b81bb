import { expect, test } from 'vitest'
import { noteIn } from './checkpoint-note.ts'

const HEAD = { commit: 'c', branch: 'main' }
const REST = { kind: 'before', at: 1, head: HEAD, notKept: [] } as const

test.each([
  ['its number', { ...REST, attempt: 3 }, 3],
  ['none, taken for safety', { ...REST, attempt: null }, null],
  ['its number, as earlier versions wrote it', { ...REST, runId: 'job_1/3' }, 3],
  ['none, as earlier versions wrote it', { ...REST, runId: null }, null],
])('J-6 a checkpoint knows its attempt: %s', (_, written, attempt) => {
  expect(noteIn(JSON.stringify(written))).toEqual({ ...REST, attempt })
})

test('J-6 a commit that somebody else put under our refs has no note', () => {
  expect(noteIn('hello')).toMatchObject({ kind: 'safety', attempt: null, notKept: [] })
})
