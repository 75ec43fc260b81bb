// Checks every request before any route and refuses by default: host, page, token with its scope, type of body.
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { RepriseError } from '../errors.ts'
import { takesBytes } from './body.ts'
import { cookieOf } from './browser/cookie.ts'
import type { Logins } from './browser/logins.ts'
import { type Caller, noteCaller, requirePerson, requireScope, type Tokens } from './caller.ts'
import { needsOf } from './contract/routes/routes.ts'
import { FILE_TYPE, KEY_HEADER, type NeedsScope } from './contract/scope.ts'
import { failedAttempts } from './failed-attempts.ts'
import { isOverSocket } from './process/socket.ts'

export type GuardOptions = {
  readonly tokens: Tokens
  /** Without it, browsers cannot sign in. */
  readonly logins?: Logins
  /** The port that was really bound. The guard asks per request, because the port is known only after the start. */
  readonly port: () => number
  /** Other values of `Host` to answer to, with their port. */
  readonly extraHosts?: readonly string[]
  /** After this many wrong tokens per minute, wrong tokens get 429. The right one always passes. */
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

/** Sets headers on every answer, also on refusals. A route may bring its own policy. */
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
    // Browsers cannot reach a unix socket, so there is no host to check.
    if (!isOverSocket(c.env)) checkHost(c, hosts)
    checkPage(c, hosts)
    const needs = needsOfRequest(c)
    if (needs.length === 0 || needs.some(({ scope }) => scope !== null)) {
      // An unknown address holds no data either.
      const kind = needs.every(({ page }) => page) ? 'page' : 'request'
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

/** Against DNS rebinding: a page whose own name now resolves to us still sends that name as `Host`. */
function checkHost(c: Context, hosts: readonly string[]): void {
  const host = c.req.header('host')?.toLowerCase()
  if (host !== undefined && hosts.includes(host)) return
  throw new RepriseError(
    'forbidden',
    'this daemon does not answer to that host name',
    `Call it by its own address: http://${hosts[0]}.`,
  )
}

/** Same-site is not enough: a page of another program on another port of this machine is same-site. */
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

/** The needs of all routes that match, not only of the one that answers: overlapping routes must not weaken each other. */
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

/** HTML forms can send three types of body, none of them JSON. A request without a body needs no type. */
function checkType(c: Context): void {
  const { method } = c.req
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return
  const type = c.req.header('content-type')
  if (type === undefined && !hasBody(c)) return
  // Forms cannot send either type.
  const wanted = takesBytes(c) ? BYTES : JSON_BODY
  if (type !== undefined && wanted.isIt.test(type)) return
  throw new RepriseError(
    'unsupported-type',
    type === undefined
      ? 'the request names no content type'
      : `the body is ${type}, not ${wanted.name}`,
    wanted.hint,
  )
}

const JSON_BODY = {
  name: 'JSON',
  isIt: /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i,
  hint: 'Send JSON with `Content-Type: application/json`.',
}
const BYTES = {
  name: 'a file',
  isIt: new RegExp(`^${FILE_TYPE}$`, 'i'),
  hint: `Send the file with \`Content-Type: ${FILE_TYPE}\`.`,
}

/** In HTTP/1.1, a request with neither of these headers has no body. */
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
    'Wait a minute, then use a token of `reprise token create` or of the file `token` in the data directory.',
  )
}
