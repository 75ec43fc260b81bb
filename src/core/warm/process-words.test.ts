import { expect, test } from 'vitest'
import { processWords } from './process-words.ts'
import { NOT_USED_CODE, notKeptWords, notUsedWords } from './why-new-process.ts'

test('W-1 words say whose process a run used, and why the kept one was not used', () => {
  const notice = (code: string, text: string) => ({ type: 'notice', code, text }) as const
  const events = [
    notice('handover', 'other words'),
    notice(NOT_USED_CODE, notUsedWords('start-files')),
  ]
  const own = { process: 'new', processRunId: 'run_1' } as const
  expect(processWords(own)).toBe('new')
  expect(processWords(own, events)).toBe(
    'new. The process that was kept for this turn is not used: settings or notes that an agent reads only when it starts have changed.',
  )
  const warm = { process: 'warm', processRunId: 'run_1' } as const
  expect(processWords(warm, events)).toBe('warm: started by run_1')
  expect(processWords({ ...warm, processRunId: 'pre_1' })).toBe(
    'warm: started before the prompt came',
  )
  expect(processWords({ process: null, processRunId: null })).toBeNull()
})

test('W-1 words say why a process is not kept', () => {
  expect(notKeptWords('left-processes')).toBe(
    'The process of this turn is not kept for the next one: processes that it started still run.',
  )
})
