import { expect, test } from 'vitest'
import { processWords } from './process-words.ts'
import { NOT_USED_CODE, notKeptWords, notUsedWords } from './why-new-process.ts'

test.each([
  [null, null, null],
  ['new', 'run_1', 'new'],
  ['warm', 'run_1', 'warm: started by run_1'],
  ['warm', 'pre_1', 'warm: started before the prompt came'],
  ['warm', 'prefix_1', 'warm: started by prefix_1'],
] as const)('W-1 a run on a %s process of %s says: %s', (process, processRunId, words) => {
  expect(processWords({ process, processRunId })).toBe(words)
})

test('W-1 words say why the kept process was not used, and only of a new one', () => {
  const notice = (code: string, text: string) => ({ type: 'notice', code, text }) as const
  const events = [
    notice('handover', 'other words'),
    notice(NOT_USED_CODE, notUsedWords('start-files')),
  ]
  const own = { process: 'new', processRunId: 'run_1' } as const
  expect(processWords(own, events)).toBe(
    'new. The process that was kept for this turn is not used: settings or notes that an agent reads only when it starts have changed.',
  )
  const warm = { process: 'warm', processRunId: 'run_1' } as const
  expect(processWords(warm, events)).toBe('warm: started by run_1')
})

test('W-1 words say why a process is not kept', () => {
  expect(notKeptWords('left-processes')).toBe(
    'The process of this turn is not kept for the next one: processes that it started still run.',
  )
})
