import { expect, test } from 'vitest'
import { RUN_SPEC } from '../../../test/run-spec.ts'
import { openDialogue } from './dialogue.ts'

test('A-2 codex gets the end of its input with the prompt: while the input is open, it waits for more and never begins', () => {
  expect(openDialogue({ ...RUN_SPEC, prompt: 'Remember the word.' }).begin()).toEqual({
    events: [],
    write: ['Remember the word.'],
    close: true,
  })
})
