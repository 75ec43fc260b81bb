// The key of a request that may be repeated, with a fingerprint of what it asks for.
import { createHash } from 'node:crypto'
import type { RequestKey } from '../../core/run/request-key.ts'

/** `asked` comes out of the schema, so that equal requests have equal texts. */
export function requestKey(header: string | undefined, asked: unknown): RequestKey | undefined {
  if (header === undefined) return undefined
  const request = createHash('sha256').update(JSON.stringify(asked)).digest('hex')
  return { key: header, request, note: '' }
}
