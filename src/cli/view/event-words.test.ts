import { expect, test } from 'vitest'
import type { RunEvent } from '../../core/run/run-events.ts'
import { progressOf } from './event-words.ts'

const notice = (code: string): RunEvent => ({
  ...{ type: 'notice', code, text: 'words' },
  ...{ runId: 'run_1', seq: 1, at: 0 },
})

test('U-1 a notice is printed, unless the daemon has printed it or it only says which process ran', () => {
  expect(progressOf(notice('session-rescued'))).toBe('words')
  expect(progressOf(notice('daemon-away'))).toBeNull()
  expect(progressOf(notice('process-not-used'))).toBeNull()
})
