// Checks the URL of a database before anybody connects, and completes it for the driver.
import { accessSync, constants } from 'node:fs'
import { DATABASE_URL_HINT, readDatabaseUrl } from '../../core/database-url.ts'
import { RepriseError } from '../../errors.ts'
import { SCHEMA } from './postgres-dialect.ts'

/** Throws `bad-config` for what is not the URL of a PostgreSQL database. Gives the place to show in messages. */
export function placeOfUrl(url: string): string {
  const read = readDatabaseUrl(url)
  if ('place' in read) return read.place
  throw new RepriseError(
    'bad-config',
    `the address of the database ${read.problem}`,
    DATABASE_URL_HINT,
  )
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey']

/** Throws `bad-config` for parameters about TLS with which the driver would fail in its own words, or do something else. */
export function connectionString(text: string): string {
  const url = new URL(text)
  const { searchParams } = url
  const mode = searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode)) {
    throw badParameter(
      `has an sslmode that is not known: ${mode}`,
      `one of ${SSL_MODES.join(', ')}`,
    )
  }
  for (const name of SSL_FILES) {
    const file = searchParams.get(name)
    if (file !== null && !isReadable(file)) {
      throw badParameter(`names a file in ${name} that cannot be read: ${file}`, 'a PEM file')
    }
  }
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) {
    throw badParameter(
      'has sslmode=verify-ca without sslrootcert',
      'also sslrootcert, or verify-full',
    )
  }
  // The modes mean what they mean for `psql`. Without this, the driver takes `require` for `verify-full` and warns.
  if (mode !== null) searchParams.set('uselibpqcompat', 'true')
  // Names of others in the search path could stand for ours.
  const own = searchParams.get('options')
  searchParams.set('options', `${own === null ? '' : `${own} `}-c search_path=${SCHEMA}`)
  return url.href
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function badParameter(problem: string, wanted: string): RepriseError {
  return new RepriseError(
    'bad-config',
    `the address of the database ${problem}`,
    `Give it ${wanted}, then check with \`reprise doctor\`.`,
  )
}
