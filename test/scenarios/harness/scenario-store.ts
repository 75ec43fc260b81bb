// The store of a scenario: a SQLite file, or a PostgreSQL database of its own when the test file asks for that.
import { join } from 'node:path'
import { type OpenStore, postgres, sqlite } from '../../../src/index.ts'
import { newDatabase } from '../../postgres/shared.ts'

export type ScenarioStore = { readonly open: OpenStore; drop(): Promise<void> }

let isPostgres = false

/** For all scenarios of a test file. */
export function useScenariosOnPostgres(): void {
  isPostgres = true
}

export async function storeIn(root: string): Promise<ScenarioStore> {
  if (!isPostgres) return { open: sqlite(join(root, 'reprise.db')), drop: async () => {} }
  const database = await newDatabase()
  return { open: postgres(database.url), drop: database.drop }
}
