// The idempotency key of a request, with a fingerprint of its content.
import { createHash } from 'node:crypto'
import type { RequestKey } from '../../core/run/request-key.ts'

/** `asked` is the parsed body, so that equal requests have equal texts. */
export function requestKey(header: string | undefined, asked: unknown): RequestKey | undefined {
  if (header === undefined) return undefined
  const request = createHash('sha256').update(JSON.stringify(asked)).digest('hex')
  return { key: header, request, note: '' }
}
