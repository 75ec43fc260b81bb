import { describe, expect, test } from 'vitest'
import { hashOfToken } from '../caller.ts'
import { isProof, NONCE_PATTERN, proofOf } from './proof.ts'

const challenge = { nonce: 'n'.repeat(32), port: 4747 }

describe('a proof', () => {
  test('S8 holds for its token, its nonce and its port alone', () => {
    const proof = proofOf(hashOfToken('secret'), challenge)
    expect(isProof('secret', challenge, proof)).toBe(true)
    expect(isProof('other', challenge, proof)).toBe(false)
    expect(isProof('secret', { ...challenge, nonce: 'm'.repeat(32) }, proof)).toBe(false)
    expect(isProof('secret', { ...challenge, port: 4748 }, proof)).toBe(false)
  })

  test.each(['', 'a', 'ä'.repeat(43), 'a'.repeat(43)])('is not %j', proof => {
    expect(isProof('secret', challenge, proof)).toBe(false)
  })

  test.each(['', 'short', 'x'.repeat(129), '../../etc/passwd-0123', 'a b c d e f g h i'])(
    'is not given for %j',
    nonce => expect(NONCE_PATTERN.test(nonce)).toBe(false),
  )
})
