// Migrates a store with one more step that takes very long; says so from inside the step. Made to be killed.
import { writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { MIGRATIONS, migrate } from '../../../src/store/sql/migrations.ts'
import { sqliteDatabase } from '../../../src/store/sqlite/sqlite-connection.ts'

const [file = ''] = process.argv.slice(2)
const database = sqliteDatabase(new Database(file), 1_000)
const endless = () => {
  writeSync(1, 'migrating\n')
  return [
    'create table later (x)',
    'drop table runtimes',
    'with recursive n (x) as (select 1 union all select x + 1 from n) select count(*) from n',
  ]
}
await migrate(database, [...MIGRATIONS, endless])
