// Migrates a store with one more step that takes very long; says so from inside the step. Made to be killed.
import { writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { MIGRATIONS, migrate } from '../../../src/store/migrations.ts'
import type { Schema } from '../../../src/store/schema.ts'
import { SQLITE } from '../../../src/store/sqlite-dialect.ts'
import { ImmediateSqliteDialect } from '../../../src/store/sqlite-driver.ts'

const [file = ''] = process.argv.slice(2)
const dialect = new ImmediateSqliteDialect(new Database(file), 1_000)
const db = new Kysely<Schema>({ dialect })
const endless = () => {
  writeSync(1, 'migrating\n')
  return [
    'create table later (x)',
    'drop table runtimes',
    'with recursive n (x) as (select 1 union all select x + 1 from n) select count(*) from n',
  ]
}
await migrate({ db, dialect: SQLITE }, [...MIGRATIONS, endless])
