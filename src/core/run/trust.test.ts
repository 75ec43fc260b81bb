import { expect, test } from 'vitest'
import { TRUSTS, trustWords } from './trust.ts'

test('E-12 the words of each level of trust, from the least to the most', () => {
  expect(TRUSTS.map(trustWords)).toEqual([
    'none: no settings, hooks or servers of the repository or of the user take part',
    'user: settings, hooks and servers of the user take part, none of the repository',
    'project: settings, hooks and servers of the repository and of the user take part',
  ])
})
