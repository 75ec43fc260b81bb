// The main token, the secret between the daemon and its clients: a file in the data directory that only its owner can read.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { RepriseError } from '../../errors.ts'
import { codeOf, createPrivate, readPrivate, replacePrivate } from './private-file.ts'

const TOKEN_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{43}$/

export function tokenPath(home: string): string {
  return join(home, 'token')
}

/** `null` when there is none. Throws when others could have read or written the file. */
export function readToken(home: string): string | null {
  const path = tokenPath(home)
  const found = readPrivate(path)
  if (found.state === 'missing') return null
  if (found.state === 'unsafe') throw new RepriseError('bad-config', found.problem, found.hint)
  const token = found.text.trim()
  if (TOKEN.test(token)) return token
  throw new RepriseError(
    'bad-config',
    `${path} does not hold a token`,
    `remove it: rm ${path}; the daemon makes a new one when it starts`,
  )
}

export function readOrCreateToken(home: string): string {
  const existing = readToken(home)
  if (existing !== null) return existing
  const token = newToken()
  try {
    createPrivate(tokenPath(home), `${token}\n`)
    return token
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  // Another process was faster. Its file is read and checked like any other.
  return readToken(home) ?? token
}

/** The daemon refuses the old token from the next request on. */
export function rotateToken(home: string): void {
  replacePrivate(tokenPath(home), `${newToken()}\n`)
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}
