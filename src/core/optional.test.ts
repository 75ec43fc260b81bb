import { expect, test } from 'vitest'
import { given } from './optional.ts'

test('U-1 an option that is undefined counts as left out; null, false, 0 and an empty text count as given', () => {
  const options = { agent: undefined, model: 'm', after: null, fresh: false, limit: 0, title: '' }
  expect(given(options)).toStrictEqual({
    model: 'm',
    after: null,
    fresh: false,
    limit: 0,
    title: '',
  })
})
