// The store of a test that does not care: a SQLite file or memory, or a PostgreSQL database of its own when the whole test run asks
// for that (`REPRISE_TEST_STORE=postgres`, as the storms do).
import { cpSync, rmSync } from 'node:fs'
import { type OpenStore, postgres, sqlite } from '../../src/index.ts'
import { newDatabase, type TestDatabase } from './shared.ts'

export const isOnPostgres = process.env.REPRISE_TEST_STORE === 'postgres'

export type ChosenStore = {
  readonly open: OpenStore
  /** Keeps what the store holds, to go back to it later. Nobody may have the store open. */
  keep(): Promise<void>
  goBack(): Promise<void>
  drop(): Promise<void>
}

/** `file`: where the store would be on SQLite. */
export async function chosenStore(file: string): Promise<ChosenStore> {
  return isOnPostgres ? storeOnPostgres() : inFile(file)
}

/** For tests of several machines. */
export async function storeOnPostgres(): Promise<ChosenStore> {
  return onPostgres(await newDatabase('store'))
}

function inFile(file: string): ChosenStore {
  const kept = `${file}.kept`
  return {
    open: sqlite(file),
    async keep() {
      cpSync(file, kept)
    },
    async goBack() {
      cpSync(kept, file)
      for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
    },
    drop: async () => {},
  }
}

function onPostgres(database: TestDatabase): ChosenStore {
  const tables = async () => {
    const rows = await database.run(
      "select table_name as name from information_schema.tables where table_schema = 'reprise'",
    )
    return rows.map(({ name }) => String(name))
  }
  return {
    open: postgres(database.url),
    async keep() {
      const copies = (await tables()).map(
        name => `create table kept.${name} as table reprise.${name}`,
      )
      await database.run(
        ['drop schema if exists kept cascade; create schema kept', ...copies].join(';'),
      )
    },
    async goBack() {
      const names = await tables()
      const all = names.map(name => `reprise.${name}`).join(', ')
      const copies = names.map(name => `insert into reprise.${name} select * from kept.${name}`)
      // Foreign keys are not checked meanwhile, so the order of the tables does not matter.
      await database.run(
        [
          'set session_replication_role = replica',
          `truncate ${all}`,
          ...copies,
          'reset session_replication_role',
        ].join(';'),
      )
    },
    drop: database.drop,
  }
}
