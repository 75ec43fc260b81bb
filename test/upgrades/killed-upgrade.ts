// Brings a store to the present version and is killed before one of the statements: node killed-upgrade.ts <file> <statement>.
import { flushCompileCache } from 'node:module'
import Database from 'better-sqlite3'
import { MIGRATIONS, migrate } from '../../src/store/sql/migrations.ts'
import { configured } from '../../src/store/sqlite/configure.ts'
import { sqliteDatabase } from '../../src/store/sqlite/sqlite-connection.ts'

const [file = '', statement = '0'] = process.argv.slice(2)
let left = Number(statement)
// A killed process stores no compiled code for the next one, so it is stored now.
flushCompileCache()

/** Each statement is taken from here when the ones before it have been executed, within the transaction of its step. */
class Deadly extends Array<string> {
  override *[Symbol.iterator](): ArrayIterator<string> {
    for (const sql of this.values()) {
      if (left === 0) process.kill(process.pid, 'SIGKILL')
      left -= 1
      yield sql
    }
    return undefined
  }
}

const database = sqliteDatabase(configured(new Database(file)), 1_000)
await migrate(
  database,
  MIGRATIONS.map(statements => dialect => Deadly.from(statements(dialect))),
)
await database.close()
