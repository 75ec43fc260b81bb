// The cookie of a login. Its name has the port in it: browsers keep one jar for all ports of a host.
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'

/** Without `Secure`, which loopback without TLS does not have; without an age: it ends with the browser. */
export function cookieHeader(port: number, value: string): string {
  const end = value === '' ? '; Max-Age=0' : ''
  return `${nameOf(port)}=${value}; Path=/; HttpOnly; SameSite=Strict${end}`
}

export function cookieOf(c: Context, port: number): string | null {
  return getCookie(c, nameOf(port)) ?? null
}

function nameOf(port: number): string {
  return `reprise-${port}`
}
