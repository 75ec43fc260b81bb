import { expect, test } from 'vitest'
import { SAMPLE_FACTS } from '../../../test/decision-samples.ts'
import { SAMPLE_ESTIMATE } from '../../../test/estimate-samples.ts'
import { decide } from './decide.ts'
import { explain } from './explain.ts'
import { type Preview, previewInWords, previewOf } from './preview.ts'
import { DEFAULT_RESUME } from './settings.ts'

test('D-7 a preview that was sent as words is the same one again, with price, ways and notes', () => {
  const preview: Preview = {
    ...explain(decide(SAMPLE_FACTS, DEFAULT_RESUME)),
    estimate: SAMPLE_ESTIMATE,
    ways: [
      { way: 'resume', isChosen: true, words: 'chosen', estimate: SAMPLE_ESTIMATE },
      { way: 'replay-native', isChosen: false, words: 'with a fresh session', estimate: null },
    ],
    notes: ['somebody else wrote in the session'],
  }
  const sent = previewInWords(preview)
  expect(sent).toMatchObject({ action: 'resume', words: preview.words })
  expect(previewOf(JSON.parse(JSON.stringify(sent)))).toEqual(preview)
})
