// The store contract on SQLite in a file. Each test opens a copy of an empty store, which is faster than to make one.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'

const directory = mkdtempSync(join(tmpdir(), 'reprise-store-'))
const empty = join(directory, 'empty.db')
let files = 0

afterAll(() => rmSync(directory, { recursive: true }))

await (await sqlite(empty)()).close()

await storeConformance('SQLite file', () => {
  const file = join(directory, `${files++}.db`)
  copyFileSync(empty, file)
  return sqlite(file)()
})
