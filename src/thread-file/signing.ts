// The keys that sign thread files: Ed25519. A public key is one word, which people can send to each other.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { StoreKey } from '../store/contract/thread-content.ts'

/** `ed25519:` and the 32 bytes of the key. */
const PUBLIC_KEY = /^ed25519:[A-Za-z0-9_-]{43}$/

export function isPublicKey(text: string): boolean {
  return PUBLIC_KEY.test(text)
}

export function makeKey(): StoreKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
  return { privateKey: pem.toString(), publicKey: `ed25519:${x}` }
}

/** In base64url. */
export function signText(text: string, { privateKey }: StoreKey): string {
  return sign(null, Buffer.from(text), createPrivateKey(privateKey)).toString('base64url')
}

export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const key = keyOf(publicKey)
  const bytes = Buffer.from(signature, 'base64url')
  // The last letter has bits that count for nothing: only one way to write a signature is taken.
  if (key === null || bytes.toString('base64url') !== signature) return false
  return verify(null, Buffer.from(text), key, bytes)
}

function keyOf(text: string): KeyObject | null {
  if (!isPublicKey(text)) return null
  try {
    const x = text.slice('ed25519:'.length)
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  } catch {
    return null // 32 bytes that are no point of the curve.
  }
}
