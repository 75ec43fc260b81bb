// Tokens for others: one file each, with the hash of the token and what it may do. To create and to revoke is one call of the system.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { RepriseError } from '../../errors.ts'
import { hashOfToken } from '../caller.ts'
import { isScope, type Scope } from '../contract/scope.ts'
import { createPrivate, readPrivate } from './private-file.ts'

export type TokenRecord = {
  readonly id: string
  /** What it is for, in the words of whoever made it. */
  readonly label: string | null
  readonly scopes: readonly Scope[]
  /** SHA-256 of the token, in hex. The token itself is kept nowhere. */
  readonly hash: string
  readonly createdAt: number
}

const ID = /^tok_[0-9a-f]{12}$/

/** The id is a part of the token: its record is found without looking at all of them. */
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

/** Whoever uses it is out with the next request. */
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

/** `null` for what is missing, open to others or not understood: such a token lets nobody in. */
export function readTokenRecord(home: string, id: string): TokenRecord | null {
  const found = readPrivate(pathOf(home, id))
  if (found.state !== 'usable') return null
  try {
    const record = parse(JSON.parse(found.text))
    return record?.id === id ? record : null
  } catch {
    return null // Written by something else than us.
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
    return [] // None has been made yet.
  }
}
