// Chance for ids, from the system itself: to load node:crypto takes 4 ms, which every turn would wait for.
import { closeSync, openSync, readSync } from 'node:fs'

/** More than a turn needs. */
const POOL_BYTES = 512

let pool: Buffer = Buffer.alloc(0)

/** No byte is given twice. At most `POOL_BYTES` at once. */
export function randomBytes(count: number): Buffer {
  if (pool.length < count) pool = bytesOf('/dev/urandom') ?? bytesOfCrypto()
  const bytes = pool.subarray(0, count)
  pool = pool.subarray(count)
  return bytes
}

/** `null` where there is no such source. */
export function bytesOf(source: string): Buffer | null {
  try {
    const file = openSync(source, 'r')
    try {
      const bytes = Buffer.alloc(POOL_BYTES)
      return readSync(file, bytes) === POOL_BYTES ? bytes : null
    } finally {
      closeSync(file)
    }
  } catch {
    return null // Another kind of system, or a locked one: node:crypto knows what it has instead.
  }
}

function bytesOfCrypto(): Buffer {
  return process.getBuiltinModule('node:crypto').randomBytes(POOL_BYTES)
}
