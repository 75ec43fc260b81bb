// In front of everything, default deny: whose host, whose page, whose token with which scope, what kind of body. No route knows about it.
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { RepriseError } from '../errors.ts'
import { cookieOf } from './browser/cookie.ts'
import type { Logins } from './browser/logins.ts'
import { type Caller, noteCaller, requirePerson, requireScope, type Tokens } from './caller.ts'
import { needsOf } from './contract/routes/routes.ts'
import { KEY_HEADER, type NeedsScope } from './contract/scope.ts'
import { failedAttempts } from './failed-attempts.ts'
import { isOverSocket } from './process/socket.ts'

export type GuardOptions = {
  readonly tokens: Tokens
  /** Without it, no browser gets in. */
  readonly logins?: Logins
  /** The port that was really bound; asked per request, so that it may be known late. */
  readonly port: () => number
  /** Other values of `Host` to answer to, with their port. */
  readonly extraHosts?: readonly string[]
  /** Wrong tokens per minute before they get 429. The right one always passes. */
  readonly maxFailedAttempts?: number
  readonly now?: () => number
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

/** On every answer, also on refusals. A route may have a policy of its own. */
export function securityHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
    }
  }
}

export function guard(options: GuardOptions): MiddlewareHandler {
  const { now = Date.now, maxFailedAttempts = 60 } = options
  const attempts = failedAttempts({ max: maxFailedAttempts, windowMs: 60_000, now })
  return async (c, next) => {
    const hosts = allowedHosts(options)
    // No name leads a browser to a socket.
    if (!isOverSocket(c.env)) checkHost(c, hosts)
    checkPage(c, hosts)
    const needs = needsOfRequest(c)
    if (needs.length === 0 || needs.some(({ scope }) => scope !== null)) {
      const kind = needs.length > 0 && needs.every(({ page }) => page) ? 'page' : 'request'
      const caller = callerOf(c, options, kind)
      if (caller === null) throw attempts.count() ? tooMany() : unauthorized(kind)
      c.set('caller', caller)
      noteCaller(c.env, caller)
      // An unknown route answers 404, but only to authenticated callers.
      for (const { scope, person } of needs) {
        if (scope !== null) requireScope(c, scope)
        if (person) requirePerson(c)
      }
    }
    checkType(c)
    await next()
  }
}

function allowedHosts({ port, extraHosts = [] }: GuardOptions): readonly string[] {
  const bound = port()
  const own = LOOPBACK_NAMES.map(name => `${name}:${bound}`)
  const short = bound === 80 ? LOOPBACK_NAMES : []
  return [...own, ...short, ...extraHosts.map(host => host.toLowerCase())]
}

/** A page that was served from a name of its own and then points that name at us still sends its name. */
function checkHost(c: Context, hosts: readonly string[]): void {
  const host = c.req.header('host')?.toLowerCase()
  if (host !== undefined && hosts.includes(host)) return
  throw new RepriseError(
    'forbidden',
    'this daemon does not answer to that host name',
    `Call it by its own address: http://${hosts[0]}.`,
  )
}

/** Same-site is not enough: another program's page on another port of this machine is same-site. */
function checkPage(c: Context, hosts: readonly string[]): void {
  const origin = c.req.header('origin')
  const isOwn = origin === undefined || hosts.some(host => isOriginOf(origin, host))
  const site = c.req.header('sec-fetch-site')
  const isNear = site === undefined || site === 'same-origin' || site === 'none'
  if (isOwn && isNear) return
  const what = 'requests from pages of other origins are refused'
  throw new RepriseError('forbidden', what, 'Call the daemon from its own page or from a program.')
}

function isOriginOf(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`
}

/** Of every route that fits, not only of the one that will answer: two that overlap must not lend each other their doors. */
function needsOfRequest(c: Context): readonly NeedsScope[] {
  return matchedRoutes(c).flatMap(({ method, path }) => needsOf(method, path) ?? [])
}

function callerOf(
  c: Context,
  { tokens, logins, port }: GuardOptions,
  kind: 'page' | 'request',
): Caller | null {
  const header = c.req.header('authorization')
  if (header !== undefined) {
    const given = /^bearer +(\S+)$/i.exec(header)?.[1]
    return given === undefined ? null : tokens.callerOf(given)
  }
  const cookie = cookieOf(c, port())
  if (cookie === null || !logins?.isOpen(cookie)) return null
  if (kind === 'request' && !logins.isKeyOf(cookie, c.req.header(KEY_HEADER) ?? '')) throw noKey()
  return logins.callerOf(cookie)
}

function noKey(): RepriseError {
  const what = `a page must send its key as ${KEY_HEADER}`
  return new RepriseError('forbidden', what, 'Sign in again: `reprise login` in a terminal.')
}

/** Forms can send three types of body, none of them JSON. Whoever sends no body need not name its type. */
function checkType(c: Context): void {
  const { method } = c.req
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return
  const type = c.req.header('content-type')
  if (type === undefined && !hasBody(c)) return
  if (type !== undefined && /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type))
    return
  throw new RepriseError(
    'unsupported-type',
    type === undefined ? 'the request names no content type' : `the body is ${type}, not JSON`,
    'Send JSON with `Content-Type: application/json`.',
  )
}

/** HTTP/1.1: what has neither of the two headers has no body. */
function hasBody(c: Context): boolean {
  const isChunked = c.req.header('transfer-encoding') !== undefined
  return isChunked || (c.req.header('content-length') ?? '0') !== '0'
}

function unauthorized(kind: 'page' | 'request'): RepriseError {
  if (kind === 'page') {
    const hint = 'Open an address from `reprise login`: it signs this browser in.'
    return new RepriseError('unauthorized', 'this page is for those who have signed in', hint)
  }
  return new RepriseError(
    'unauthorized',
    'the token is missing or wrong',
    'Send `Authorization: Bearer <token>`; the token is in the file `token` of the data directory.',
  )
}

function tooMany(): RepriseError {
  return new RepriseError(
    'too-many',
    'too many wrong tokens',
    'Wait a minute, then use the right one.',
  )
}
