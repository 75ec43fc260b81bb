// The cookie of a login. Its name contains the port, because browsers share cookies between all ports of a host.
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'

/** No `Secure`, because loopback has no TLS; no age, so that the cookie ends with the browser. */
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
