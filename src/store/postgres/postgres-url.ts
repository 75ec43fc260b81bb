// Checks the URL of a database before anybody connects.
import { DATABASE_URL_HINT, readDatabaseUrl } from '../../core/database-url.ts'
import { RepriseError } from '../../errors.ts'

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
