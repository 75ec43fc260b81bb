// Migrates a store with one more step that takes very long; says so from inside the step. Made to be killed.
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import SqliteFile from 'better-sqlite3'
import { isPostgresUrl } from '../../../src/core/database-url.ts'
import { connectForUpgrade } from '../../../src/store/postgres/open-postgres.ts'
import { MIGRATIONS, migrate } from '../../../src/store/sql/migrations.ts'
import { sqliteDatabase } from '../../../src/store/sqlite/sqlite-connection.ts'

const [place = ''] = process.argv.slice(2)
// A killed process stores no compiled code for the next one, so it is stored now.
flushCompileCache()
const database = isPostgresUrl(place)
  ? await connectForUpgrade(place)
  : sqliteDatabase(new SqliteFile(place), 1_000)
const endless = () => {
  writeSync(1, 'migrating\n')
  return [
    'create table later (x integer)',
    'drop table runtimes',
    'with recursive n (x) as (select 1 union all select 1 from n) select count(*) from n',
  ]
}
await migrate(database, [...MIGRATIONS, endless])
