import { expect, test } from 'vitest'
import { isUnapproved, type ThreadImport } from './thread.ts'

const imported = (approvedAt: number | null): ThreadImport => ({
  ...{ threadId: 'thr_0', signature: 'foreign', key: null, importedAt: 1, approvedAt },
})

test('S24 a thread is only data while it came in a file and nobody has approved it', () => {
  expect(isUnapproved({})).toBe(false)
  expect(isUnapproved({ imported: imported(null) })).toBe(true)
  expect(isUnapproved({ imported: imported(0) })).toBe(false)
})
