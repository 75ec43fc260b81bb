import { expect, test } from 'vitest'
import { processWords } from './process-words.ts'

test.each([
  [null, null, null],
  ['new', 'run_1', 'new'],
  ['warm', 'run_1', 'warm: started by run_1'],
  ['warm', 'pre_1', 'warm: started before the prompt came'],
  ['warm', 'prefix_1', 'warm: started by prefix_1'],
] as const)('W-1 a run on a %s process of %s says: %s', (process, processRunId, words) => {
  expect(processWords({ process, processRunId })).toBe(words)
})
