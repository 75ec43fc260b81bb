// Tokens for other programs: one file each, with the token's hash and scopes. Creating and revoking one is a single system call.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { RepriseError } from '../../errors.ts'
import { hashOfToken } from '../caller.ts'
import { isScope, type Scope } from '../contract/scope.ts'
import { createPrivate, readPrivate } from './private-file.ts'

export type TokenRecord = {
  readonly id: string
  /** What the token is for, in its creator's words. */
  readonly label: string | null
  readonly scopes: readonly Scope[]
  /** SHA-256 of the token, in hex. Reprise does not store the token itself. */
  readonly hash: string
  readonly createdAt: number
}

const ID = /^tok_[0-9a-f]{12}$/

/** The token contains its id, so its record is found without reading all of them. */
export function idOfToken(token: string): string | null {
  const id = token.split('.', 1)[0] ?? ''
  return ID.test(id) ? id : null
}

export function createToken(
  home: string,
  wanted: { readonly label: string | null; readonly scopes: readonly Scope[] },
): { readonly token: string; readonly record: TokenRecord } {
  const directory = directoryOf(home)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const id = `tok_${randomBytes(6).toString('hex')}`
  const token = `${id}.${randomBytes(32).toString('base64url')}`
  const hash = hashOfToken(token).toString('hex')
  const record: TokenRecord = { id, ...wanted, hash, createdAt: Date.now() }
  createPrivate(pathOf(home, id), `${JSON.stringify(record, null, 2)}\n`)
  return { token, record }
}

/** The daemon refuses the token from the next request on. */
export function revokeToken(home: string, id: string): TokenRecord {
  const record = ID.test(id) ? readTokenRecord(home, id) : null
  if (record === null) {
    throw new RepriseError('not-found', `there is no token ${id}`, 'see `reprise token ls`')
  }
  rmSync(pathOf(home, id))
  return record
}

export function listTokens(home: string): readonly TokenRecord[] {
  return namesIn(directoryOf(home))
    .map(name => name.replace(/\.json$/, ''))
    .filter(id => ID.test(id))
    .flatMap(id => readTokenRecord(home, id) ?? [])
    .sort((one, other) => one.createdAt - other.createdAt)
}

/** `null` when the record is missing, open to others or malformed: such a token is refused. */
export function readTokenRecord(home: string, id: string): TokenRecord | null {
  const found = readPrivate(pathOf(home, id))
  if (found.state !== 'usable') return null
  try {
    const record = parse(JSON.parse(found.text))
    return record?.id === id ? record : null
  } catch {
    return null // Another program wrote it.
  }
}

function parse(value: unknown): TokenRecord | null {
  if (value === null || typeof value !== 'object') return null
  const { id, label, scopes, hash, createdAt } = value as Record<string, unknown>
  if (typeof id !== 'string' || typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash))
    return null
  if (label !== null && typeof label !== 'string') return null
  if (!Array.isArray(scopes) || typeof createdAt !== 'number') return null
  return { id, label, scopes: scopes.map(String).filter(isScope), hash, createdAt }
}

function directoryOf(home: string): string {
  return join(home, 'tokens')
}

function pathOf(home: string, id: string): string {
  return join(directoryOf(home), `${id}.json`)
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return [] // Nobody has created a token yet.
  }
}
