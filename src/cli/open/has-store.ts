// Says whether there is a store, for verbs that must not make one.
import { existsSync } from 'node:fs'
import type { Config } from '../../config/config.ts'

export async function hasStore({ database }: Config): Promise<boolean> {
  if (database.kind === 'file') return existsSync(database.path)
  const { inspectPostgres } = await import('../../store/postgres/open-postgres.ts')
  return (await inspectPostgres(database.url)).version !== null
}
