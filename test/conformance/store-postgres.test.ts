// The store contract on PostgreSQL. All tests use one database, which each finds empty.
import { afterAll } from 'vitest'
import { postgres } from '../../src/store/postgres/postgres.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'
import { emptyStore, newDatabase } from '../postgres/shared.ts'

const database = await newDatabase()

afterAll(() => database.drop())

await storeConformance('PostgreSQL', async () => {
  await emptyStore(database)
  return postgres(database.url)()
})
