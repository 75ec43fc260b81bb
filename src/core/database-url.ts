// The URL of a PostgreSQL database: checked before anybody connects, and shown without its password.

export type DatabaseUrl =
  /** `place`: where the database is, for messages; without the password and without parameters. */
  { readonly url: string; readonly place: string } | { readonly problem: string }

const PLAIN_PERCENT = 'has a % in its user or password that is not written as %25'

const PROTOCOLS: readonly string[] = ['postgres:', 'postgresql:']

export const DATABASE_URL_HINT =
  'Write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, and special characters of the password as %XX (`@` is %40, `/` is %2F, `%` is %25).'

export function isPostgresUrl(text: string): boolean {
  return PROTOCOLS.some(protocol => text.startsWith(protocol))
}

/** The problem does not show what was given: it may hold a password. */
export function readDatabaseUrl(text: string): DatabaseUrl {
  if (!isPostgresUrl(text)) return { problem: 'does not begin with postgres://' }
  const url = URL.parse(text)
  if (url === null) return { problem: 'is not a valid URL' }
  const { username, password, host, pathname, searchParams } = url
  // The driver would take each % of the URL for a plain one then, also those of our own parameters.
  if (/%(?![0-9a-f]{2})/i.test(`${username}:${password}`)) return { problem: PLAIN_PERCENT }
  if (host === '' && !searchParams.has('host')) return { problem: 'names no host' }
  const user = username === '' ? '' : `${username}@`
  return { url: text, place: `postgres://${user}${host}${pathname}` }
}
