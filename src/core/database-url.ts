// The URL of a PostgreSQL database: checked before anybody connects, and shown without its password.

export type DatabaseUrl =
  /** `place`: where the database is, for messages; without the password and without parameters. */
  { readonly url: string; readonly place: string } | { readonly problem: string }

const PROTOCOLS: readonly string[] = ['postgres:', 'postgresql:']

export const DATABASE_URL_HINT =
  'Write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, and special characters of the password as %XX (`@` is %40, `/` is %2F).'

export function isPostgresUrl(text: string): boolean {
  return PROTOCOLS.some(protocol => text.startsWith(protocol))
}

/** The problem does not show what was given: it may hold a password. */
export function readDatabaseUrl(text: string): DatabaseUrl {
  if (!isPostgresUrl(text)) return { problem: 'does not begin with postgres://' }
  const url = URL.parse(text)
  if (url === null) return { problem: 'is not a valid URL' }
  const { username, host, pathname, searchParams } = url
  if (host === '' && !searchParams.has('host')) return { problem: 'names no host' }
  const user = username === '' ? '' : `${username}@`
  return { url: text, place: `postgres://${user}${host}${pathname}` }
}
