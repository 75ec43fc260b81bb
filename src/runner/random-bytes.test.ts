import { expect, test } from 'vitest'
import { bytesOf, randomBytes } from './random-bytes.ts'

test('no bytes are given twice, over the ends of the pool too', () => {
  const given = Array.from({ length: 500 }, (_, i) => randomBytes(12 + (i % 9)))
  expect(given.every((bytes, i) => bytes.length === 12 + (i % 9))).toBe(true)
  expect(new Set(given.map(bytes => bytes.toString('hex'))).size).toBe(500)
})

test('bytes that were given stay as they are', () => {
  const first = randomBytes(16)
  const copy = Buffer.from(first)
  for (let i = 0; i < 100; i += 1) randomBytes(16).fill(0)
  expect(first.equals(copy)).toBe(true)
})

test('a source that is not there, or has too little, is none', () => {
  expect(bytesOf('/dev/none')).toBe(null)
  expect(bytesOf('/dev/null')).toBe(null)
  expect(bytesOf('/')).toBe(null)
})
