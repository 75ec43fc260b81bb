import { expect, test } from 'vitest'
import { isHostId } from './host-id.ts'

test.each(['a', 'build-2.example', 'ip_10-0-0-1', 'x'.repeat(128)])('%s is a host id', text => {
  expect(isHostId(text)).toBe(true)
})

test.each(['', '-a', '.a', 'a b', 'a/b', 'a\n', 'ä', 'x'.repeat(129)])(
  '%j is not a host id',
  text => {
    expect(isHostId(text)).toBe(false)
  },
)
