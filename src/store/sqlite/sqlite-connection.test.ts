// All code of a process shares one connection; while one part of it is in a transaction, the others wait.
import SqliteFile from 'better-sqlite3'
import { expect, test } from 'vitest'
import { write } from '../sql/dialect.ts'
import { migrate } from '../sql/migrations.ts'
import { insertRows, rowsOf } from '../sql/plain-sql.ts'
import { sql } from '../sql/statement.ts'
import { sqliteDatabase } from './sqlite-connection.ts'

async function emptyStore() {
  const database = sqliteDatabase(new SqliteFile(':memory:'), 1_000)
  await migrate(database)
  return database
}

const RUNTIMES = sql<{ key: string }>`select key from runtimes order by key`
const row = (key: string) => ({ key, json: '{}' })

test('I1 what others ask meanwhile does not become part of a transaction', async () => {
  const database = await emptyStore()
  const seen: string[] = []
  const failing = write(database, async tx => {
    await insertRows(tx, { table: 'runtimes' }, [row('inside')])
    seen.push(`inside: ${(await rowsOf(tx, RUNTIMES)).length}`)
    throw new Error('no')
  })
  const outside = rowsOf(database, RUNTIMES).then(rows => seen.push(`outside: ${rows.length}`))
  await expect(failing).rejects.toThrow('no')
  await outside
  expect(seen).toEqual(['inside: 1', 'outside: 0'])
  await database.close()
})

test('a statement outside of a transaction waits for its end and counts what it changed', async () => {
  const database = await emptyStore()
  const inside = write(database, async tx => {
    await insertRows(tx, { table: 'runtimes' }, [row('a')])
    await insertRows(tx, { table: 'runtimes' }, [row('b')])
    return rowsOf(tx, RUNTIMES)
  })
  const outside = rowsOf(database, RUNTIMES)
  expect(await inside).toHaveLength(2)
  expect(await outside).toHaveLength(2)
  const { changes } = await database.execute(sql`delete from runtimes where key = ${'a'}`)
  expect(changes).toBe(1)
  await database.close()
})

test('a statement that fails gives an error in our words and leaves the connection usable', async () => {
  const database = await emptyStore()
  await insertRows(database, { table: 'runtimes' }, [row('a')])
  const again = write(database, tx => insertRows(tx, { table: 'runtimes' }, [row('a')]))
  await expect(again).rejects.toMatchObject({ code: 'conflict' })
  expect(await rowsOf(database, RUNTIMES)).toEqual([{ key: 'a' }])
  await database.close()
})
