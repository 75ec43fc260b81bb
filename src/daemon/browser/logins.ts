// Signs a browser in without showing it the token: it trades a code that works once for a cookie and a key. Only this process knows them.
import { randomBytes } from 'node:crypto'
import { type Caller, hashOfToken, isSame, type Tokens } from '../caller.ts'
import { BROWSER_SCOPES, type BrowserScope, type Scope } from '../contract/scope.ts'

export type Invitation = { readonly code: string; readonly expiresAt: number }

export type Login = {
  /** Goes into an HttpOnly cookie. Browsers send it to every port of a host, so the cookie alone must not be enough. */
  readonly cookie: string
  /** The page keeps it where only pages of the same origin can read it, and sends it in a header. */
  readonly key: string
}

export type LoginOptions = {
  readonly tokens: Pick<Tokens, 'hashOf'>
  readonly now?: () => number
}

const BROWSER_NAME = 'browser'

const CODE_LASTS_MS = 60_000
const UNUSED_LASTS_MS = 12 * 3_600_000
const MAX_CODES = 20
const MAX_LOGINS = 100

/** The caller that asked for the code. The browser may do no more than this caller. */
type Inviter = Pick<Caller, 'isExposed'>
type Code = { readonly expiresAt: number; readonly by: Inviter; readonly scopes: readonly Scope[] }
type Open = {
  readonly key: Buffer
  readonly main: Buffer | null
  readonly caller: Caller
  usedAt: number
}

export class Logins {
  readonly #tokens: LoginOptions['tokens']
  readonly #now: () => number
  // Keyed by hash, so that the time of a lookup reveals nothing about other codes.
  readonly #codes = new Map<string, Code>()
  readonly #open = new Map<string, Open>()

  constructor({ tokens, now = Date.now }: LoginOptions) {
    this.#tokens = tokens
    this.#now = now
  }

  /** `scopes`: what the browser may do; without it, everything that a browser can. */
  invite(by: Inviter, scopes: readonly BrowserScope[] = BROWSER_SCOPES): Invitation {
    const code = secret()
    const expiresAt = this.#now() + CODE_LASTS_MS
    this.#codes.set(nameOf(code), { expiresAt, by, scopes })
    keepLatest(this.#codes, MAX_CODES)
    return { code, expiresAt }
  }

  /** `null` when the code is unknown, used or expired. */
  redeem(code: string): Login | null {
    const given = this.#codes.get(nameOf(code))
    this.#codes.delete(nameOf(code))
    if (given === undefined || this.#now() >= given.expiresAt) return null
    const login = { cookie: secret(), key: secret() }
    const open = {
      key: hashOfToken(login.key),
      main: this.#tokens.hashOf(null),
      caller: callerFor(given),
      usedAt: this.#now(),
    }
    this.#open.set(nameOf(login.cookie), open)
    keepLatest(this.#open, MAX_LOGINS)
    return login
  }

  /** Does the cookie belong to an open login? Rotating the main token ends all logins. */
  isOpen(cookie: string): boolean {
    const open = this.#open.get(nameOf(cookie))
    if (open === undefined) return false
    const main = this.#tokens.hashOf(null)
    const isCurrent = open.main !== null && main !== null && isSame(open.main, main)
    if (!isCurrent || this.#now() - open.usedAt > UNUSED_LASTS_MS) {
      this.end(cookie)
      return false
    }
    open.usedAt = this.#now()
    return true
  }

  /** The caller that stands for the browser of an open login. */
  callerOf(cookie: string): Caller {
    return this.#open.get(nameOf(cookie))?.caller ?? { name: BROWSER_NAME, scopes: [] }
  }

  isKeyOf(cookie: string, key: string): boolean {
    const open = this.#open.get(nameOf(cookie))
    return open !== undefined && isSame(open.key, hashOfToken(key))
  }

  end(cookie: string): void {
    this.#open.delete(nameOf(cookie))
  }
}

function callerFor({ by: { isExposed }, scopes }: Code): Caller {
  return { name: BROWSER_NAME, scopes, ...(isExposed && { isExposed }) }
}

function secret(): string {
  return randomBytes(32).toString('base64url')
}

function nameOf(secret: string): string {
  return hashOfToken(secret).toString('hex')
}

function keepLatest(map: Map<string, unknown>, max: number): void {
  for (const name of map.keys()) {
    if (map.size <= max) return
    map.delete(name)
  }
}
