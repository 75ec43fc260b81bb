// How a browser gets in without ever seeing the token: a code that works once, for a cookie and a key that only live here.
import { randomBytes } from 'node:crypto'
import { type Caller, hashOfToken, isSame, type Tokens } from '../caller.ts'

export type Invitation = { readonly code: string; readonly expiresAt: number }

export type Login = {
  /** Goes into an HttpOnly cookie. Browsers send it to every port of a host, so it must not be enough. */
  readonly cookie: string
  /** Kept by the page, where only pages of this very origin can read it; comes back in a header. */
  readonly key: string
}

export type LoginOptions = {
  readonly tokens: Pick<Tokens, 'hashOf'>
  readonly now?: () => number
}

/** Not `admin`: a page must not be able to let others in. */
export const BROWSER_CALLER: Caller = { name: 'browser', scopes: ['read', 'submit', 'approve'] }

const CODE_LASTS_MS = 60_000
const UNUSED_LASTS_MS = 12 * 3_600_000
const MAX_CODES = 20
const MAX_LOGINS = 100

type Open = { readonly key: Buffer; readonly main: Buffer | null; usedAt: number }

export class Logins {
  readonly #tokens: LoginOptions['tokens']
  readonly #now: () => number
  // By hash: to look one up tells nothing about the others.
  readonly #codes = new Map<string, number>()
  readonly #open = new Map<string, Open>()

  constructor({ tokens, now = Date.now }: LoginOptions) {
    this.#tokens = tokens
    this.#now = now
  }

  invite(): Invitation {
    const code = secret()
    const expiresAt = this.#now() + CODE_LASTS_MS
    this.#codes.set(nameOf(code), expiresAt)
    keepLatest(this.#codes, MAX_CODES)
    return { code, expiresAt }
  }

  /** `null`: never given, used already, or too late. */
  redeem(code: string): Login | null {
    const expiresAt = this.#codes.get(nameOf(code))
    this.#codes.delete(nameOf(code))
    if (expiresAt === undefined || this.#now() >= expiresAt) return null
    const login = { cookie: secret(), key: secret() }
    const open = {
      key: hashOfToken(login.key),
      main: this.#tokens.hashOf(null),
      usedAt: this.#now(),
    }
    this.#open.set(nameOf(login.cookie), open)
    keepLatest(this.#open, MAX_LOGINS)
    return login
  }

  /** Whether a cookie is of an open login; a rotated main token ends them all. */
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

  isKeyOf(cookie: string, key: string): boolean {
    const open = this.#open.get(nameOf(cookie))
    return open !== undefined && isSame(open.key, hashOfToken(key))
  }

  end(cookie: string): void {
    this.#open.delete(nameOf(cookie))
  }
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
