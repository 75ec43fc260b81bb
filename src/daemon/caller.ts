// Who calls, and what it may do. Made from the record of a token, never from what a request says about itself.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { RepriseError } from '../errors.ts'
import { SCOPE_MEANINGS, SCOPES, type Scope } from './contract/scope.ts'

export type Caller = {
  /** For the log. */
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Its token lies in the data directory, where an agent without a sandbox can read it. */
  readonly isExposed?: true
}

export type Tokens = {
  /** `null`: nobody has such a token. */
  callerOf(token: string): Caller | null
  /** The hash of the main token, or of the one with this id: what the daemon proves itself with. */
  hashOf(id: string | null): Buffer | null
}

declare module 'hono' {
  interface ContextVariableMap {
    caller: Caller
  }
}

export const MAIN_CALLER: Caller = { name: 'main', scopes: SCOPES }

/** The token of the data directory. */
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

/** Hashes have one length, so that the comparison tells nothing about the token's. */
export function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

const callers = new WeakMap<object, Caller>()

/** For whoever stands outside of the app and only has the surroundings of the request: the log. */
export function noteCaller(env: unknown, caller: Caller): void {
  if (typeof env === 'object' && env !== null) callers.set(env, caller)
}

/** `null` when nobody was let in. */
export function callerIn(env: unknown): Caller | null {
  return typeof env === 'object' && env !== null ? (callers.get(env) ?? null) : null
}

/** For decisions about what an agent asked for: the agent must not be able to make them itself. */
export function requirePerson(c: Context): void {
  if (!c.get('caller').isExposed) return
  throw new RepriseError(
    'forbidden',
    'a person has to decide this: the token of the data directory is not enough',
    'Use the command line in a terminal, the page, or a token of `reprise token create --scope read,submit,approve`.',
  )
}

/** For what only some requests to a route need. */
export function requireScope(c: Context, scope: Scope, what = 'this'): void {
  const { scopes } = c.get('caller')
  if (scopes.includes(scope)) return
  throw new RepriseError(
    'forbidden',
    `${what} needs the scope ${scope}; this token has ${scopes.join(', ') || 'none'}`,
    `Use a token with the scope ${scope} (${SCOPE_MEANINGS[scope]}).`,
  )
}
