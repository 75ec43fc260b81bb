import { expect, test } from 'vitest'
import { contentHash } from './content-hash.ts'

const hashOf = (bytes: readonly number[] | null) =>
  contentHash(
    { files: { read: async () => bytes && Uint8Array.from(bytes) } } as never,
    '/settings.json',
  )

test('W-1 a file is the same while each of its bytes is, also where they are no text', async () => {
  const hash = await hashOf([1, 2])
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
  expect(await hashOf([1, 2])).toBe(hash)
  expect(await hashOf([1, 3])).not.toBe(hash)
  // Neither is UTF-8.
  expect(await hashOf([0xff])).not.toBe(await hashOf([0xfe]))
})

test('W-1 no file is not an empty one', async () => {
  expect(await hashOf(null)).toBeNull()
  expect(await hashOf([])).not.toBeNull()
})
