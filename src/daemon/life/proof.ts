// How a daemon proves that it knows the token without saying it: whoever squats its port can prove nothing, and gets no token.
import { createHmac, timingSafeEqual } from 'node:crypto'

export const PROOF_HEADER = 'x-reprise-proof'

/** What a client may ask to be signed: enough chance to be new, nothing that could be anything else. */
export const NONCE_PATTERN = /^[A-Za-z0-9_-]{16,128}$/

export type Challenge = {
  readonly nonce: string
  /** The port as the signer knows it: the answer for another port, passed on by a squatter, proves nothing. */
  readonly port: number
}

export function proofOf(token: string, { nonce, port }: Challenge): string {
  return createHmac('sha256', token).update(`reprise-daemon:${port}:${nonce}`).digest('base64url')
}

export function isProof(token: string, challenge: Challenge, proof: string): boolean {
  const wanted = Buffer.from(proofOf(token, challenge))
  const found = Buffer.from(proof)
  return wanted.length === found.length && timingSafeEqual(wanted, found)
}
