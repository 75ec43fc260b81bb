import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hashOfToken } from '../caller.ts'
import { SCOPES } from '../contract/scope.ts'
import { readToken, rotateToken, tokenPath } from './token.ts'
import { createToken, listTokens, revokeToken } from './token-records.ts'
import { tokensOnDisk } from './tokens-on-disk.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'reprise-tokens-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const create = () => createToken(home, { label: 'a script', scopes: ['read'] })
const fileOf = (id: string) => join(home, 'tokens', `${id}.json`)

describe('the tokens of a data directory', () => {
  test('S9 the main one has every scope, one for others has its own', () => {
    const tokens = tokensOnDisk(home)
    const { token, record } = create()
    expect(tokens.callerOf(readToken(home) ?? '')).toEqual({
      ...{ name: 'main', scopes: SCOPES, isExposed: true },
    })
    expect(tokens.callerOf(token)).toEqual({ name: record.id, scopes: ['read'] })
    expect(tokens.hashOf(record.id)).toEqual(hashOfToken(token))
    expect(listTokens(home)).toEqual([record])
  })

  test('S6 S9 of one for others only the hash is kept, for the owner alone', () => {
    const before = process.umask(0)
    const { token, record } = create()
    process.umask(before)
    const text = readFileSync(fileOf(record.id), 'utf8')
    expect(text).not.toContain(token.split('.')[1])
    expect(statSync(fileOf(record.id)).mode & 0o777).toBe(0o600)
    expect(statSync(join(home, 'tokens')).mode & 0o777).toBe(0o700)
  })

  test('S9 a revoked one lets nobody in, at once', () => {
    const tokens = tokensOnDisk(home)
    const { token, record } = create()
    const other = create()
    revokeToken(home, record.id)
    expect(tokens.callerOf(token)).toBeNull()
    expect(tokens.hashOf(record.id)).toBeNull()
    expect(tokens.callerOf(other.token)).not.toBeNull()
    for (const id of [record.id, '../token', 'tok_']) {
      expect(() => revokeToken(home, id)).toThrow(/there is no token/)
    }
  })

  test('a rotated main token is taken over without a restart', () => {
    const tokens = tokensOnDisk(home)
    const old = readToken(home) ?? ''
    rotateToken(home)
    expect(tokens.callerOf(old)).toBeNull()
    expect(tokens.callerOf(readToken(home) ?? '')).not.toBeNull()
  })

  test('S6 a main token that others could have written is not taken over', () => {
    const tokens = tokensOnDisk(home)
    const old = readToken(home) ?? ''
    const planted = 'p'.repeat(43)
    writeFileSync(tokenPath(home), planted)
    chmodSync(tokenPath(home), 0o666)
    expect(tokens.callerOf(planted)).toBeNull()
    expect(tokens.callerOf(old)).not.toBeNull()
  })

  test.each([
    ['open to others', (path: string) => chmodSync(path, 0o644)],
    ['not JSON', (path: string) => writeFileSync(path, '{')],
    [
      'of another id',
      (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace('tok_', 'tok_0')),
    ],
  ])('S9 a record that is %s lets nobody in', (_, spoil) => {
    const { token, record } = create()
    spoil(fileOf(record.id))
    expect(tokensOnDisk(home).callerOf(token)).toBeNull()
    expect(listTokens(home)).toEqual([])
  })

  test.each(['', '.', 'tok_0123456789ab', 'tok_0123456789ab.x', '../token.x', 'tok_../../token.x'])(
    'S9 %j is no token',
    token => expect(tokensOnDisk(home).callerOf(token)).toBeNull(),
  )

  test('S9 the right id with another secret is no token', () => {
    const { token } = create()
    expect(tokensOnDisk(home).callerOf(`${token.slice(0, -1)}_`)).toBeNull()
    expect(tokensOnDisk(home).callerOf(`${token}x`)).toBeNull()
  })

  test('a scope that is not known is none', () => {
    const { token, record } = create()
    writeFileSync(fileOf(record.id), JSON.stringify({ ...record, scopes: ['all', 'submit', 1] }))
    expect(tokensOnDisk(home).callerOf(token)?.scopes).toEqual(['submit'])
  })
})
