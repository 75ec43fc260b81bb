// How a daemon proves that it knows the token's hash without saying it: whoever squats its port can prove nothing, and gets no token.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export const PROOF_HEADER = 'x-reprise-proof'

/** What a client may ask to be signed: enough chance to be new, nothing that could be anything else. */
export const NONCE_PATTERN = /^[A-Za-z0-9_-]{16,128}$/

/** What stands for the port over a unix socket. */
export const SOCKET_PORT = 0

export type Challenge = {
  readonly nonce: string
  /** The port as the signer knows it: the answer for another port, passed on by a squatter, proves nothing. */
  readonly port: number
}

/** Of tokens for others the daemon keeps only the hash. */
export function proofOf(hash: Buffer, { nonce, port }: Challenge): string {
  return createHmac('sha256', hash).update(`reprise-daemon:${port}:${nonce}`).digest('base64url')
}

export function isProof(token: string, challenge: Challenge, proof: string): boolean {
  const hash = createHash('sha256').update(token).digest()
  const wanted = Buffer.from(proofOf(hash, challenge))
  const found = Buffer.from(proof)
  return wanted.length === found.length && timingSafeEqual(wanted, found)
}
