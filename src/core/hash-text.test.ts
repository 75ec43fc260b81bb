import { expect, test } from 'vitest'
import { hashText } from './hash-text.ts'

test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
])('the hash of %j is the one that FIPS 180-4 names', (text, hash) => {
  expect(hashText(text)).toBe(hash)
})

test('half of a surrogate pair counts as U+FFFD, in short and in long texts', () => {
  for (const text of ['', 'x', 'ß語'.repeat(5_000)]) {
    expect(hashText(`${text}\ud800`)).toBe(hashText(`${text}\ufffd`))
    expect(hashText(`${text}\ud800`)).not.toBe(hashText(text))
  }
})
