// The store contract on SQLite in memory.
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'

await storeConformance('SQLite in memory', sqlite(':memory:'))
