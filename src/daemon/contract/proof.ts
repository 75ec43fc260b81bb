// How a daemon proves that it knows the token's hash without sending it. Another program on its port cannot, so clients send it no token.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export const PROOF_HEADER = 'x-reprise-proof'

/** A client may ask for a signature of such a text only: long enough to be new each time, and never a meaningful message. */
export const NONCE_PATTERN = /^[A-Za-z0-9_-]{16,128}$/

/** Replaces the port in a proof over a unix socket. */
export const SOCKET_PORT = 0

export type Challenge = {
  readonly nonce: string
  /** The port as the signer knows it: a program that relays the proof of a daemon on another port proves nothing. */
  readonly port: number
}

/** Takes the hash, because the daemon keeps nothing else of tokens for others. */
export function proofOf(hash: Buffer, { nonce, port }: Challenge): string {
  return createHmac('sha256', hash).update(`reprise-daemon:${port}:${nonce}`).digest('base64url')
}

export function isProof(token: string, challenge: Challenge, proof: string): boolean {
  const hash = createHash('sha256').update(token).digest()
  const wanted = Buffer.from(proofOf(hash, challenge))
  const found = Buffer.from(proof)
  return wanted.length === found.length && timingSafeEqual(wanted, found)
}
