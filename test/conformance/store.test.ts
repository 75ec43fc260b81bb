// The store contract on SQLite, in a file and in memory.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'

const directory = mkdtempSync(join(tmpdir(), 'reprise-store-'))
let files = 0

afterAll(() => rmSync(directory, { recursive: true }))

await storeConformance('SQLite in memory', sqlite(':memory:'))
await storeConformance('SQLite file', () => sqlite(join(directory, `${files++}.db`))())
