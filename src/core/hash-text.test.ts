import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashText } from './hash-text.ts'
import { sha256 } from './sha256.ts'

const reference = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')

test('the hash of nothing is the one that is known', () => {
  expect(hashText('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})

test('our own code agrees with node:crypto at every length around the ends of blocks', () => {
  for (let length = 0; length <= 4 * 64 + 1; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) % 256)
    expect(sha256(bytes), `${length} bytes`).toBe(reference(bytes))
  }
})

test('our own code agrees with node:crypto on any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3_000 }), bytes => {
      expect(sha256(bytes)).toBe(reference(bytes))
    }),
  )
})

test('any text has the hash that node:crypto gives it, also with lone surrogates', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), text => {
      expect(hashText(text)).toBe(reference(text))
      expect(hashText(`${text}\ud800`)).toBe(reference(`${text}\ud800`))
    }),
  )
})

test.each([1_999, 2_000, 2_001, 100_000])('a text of %i characters has its hash', length => {
  for (const unit of ['x', 'ß', '語', '\udc00']) {
    const text = unit.repeat(length)
    expect(hashText(text)).toBe(reference(text))
  }
})
