// The caller of a request and its scopes. They come from the record of its token, never from the request's own claims.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { RepriseError } from '../errors.ts'
import { SCOPE_MEANINGS, SCOPES, type Scope } from './contract/scope.ts'

export type Caller = {
  /** The name in the log. */
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The token lies in the data directory, where an agent without a sandbox can read it. */
  readonly isExposed?: true
}

export type Tokens = {
  /** `null` when the token is unknown. */
  callerOf(token: string): Caller | null
  /** The hash of the main token (`null`) or of the token with this id. The daemon proves itself with it. */
  hashOf(id: string | null): Buffer | null
}

declare module 'hono' {
  interface ContextVariableMap {
    caller: Caller
  }
}

const MAIN_CALLER: Caller = { name: 'main', scopes: SCOPES }

/** The caller with the token of the data directory. */
export const EXPOSED_CALLER: Caller = { ...MAIN_CALLER, isExposed: true }

/** One token with all scopes, for apps that run without a data directory. */
export function oneToken(token: string): Tokens {
  const hash = hashOfToken(token)
  return {
    callerOf: given => (token !== '' && isSame(hash, hashOfToken(given)) ? MAIN_CALLER : null),
    hashOf: id => (id === null ? hash : null),
  }
}

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** All hashes have one length, so the comparison does not reveal the length of the token. */
export function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

const callers = new WeakMap<object, Caller>()

/** For the access log, which runs outside of the app and only sees `env`. */
export function noteCaller(env: unknown, caller: Caller): void {
  if (typeof env === 'object' && env !== null) callers.set(env, caller)
}

/** `null` when the guard refused the request. */
export function callerIn(env: unknown): Caller | null {
  return typeof env === 'object' && env !== null ? (callers.get(env) ?? null) : null
}

/** For decisions about an agent's request: the agent must not be able to decide for itself. */
export function requirePerson(c: Context): void {
  if (!c.get('caller').isExposed) return
  throw new RepriseError(
    'forbidden',
    'a person has to decide this: the token of the data directory is not enough',
    'Use the command line in a terminal, the page, or a token of `reprise token create --scope read,submit,approve`.',
  )
}

/** For routes where only some requests need the scope. */
export function requireScope(c: Context, scope: Scope, what = 'this'): void {
  const { scopes } = c.get('caller')
  if (scopes.includes(scope)) return
  throw new RepriseError(
    'forbidden',
    `${what} needs the scope ${scope}; this token has ${scopes.join(', ') || 'none'}`,
    `Use a token with the scope ${scope} (${SCOPE_MEANINGS[scope]}); \`reprise token create --scope\` creates one.`,
  )
}
