// The vault on files beside SQLite and on rows in PostgreSQL.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { Store } from '../../src/store/contract/store.ts'
import { postgres } from '../../src/store/postgres/postgres.ts'
import { OTHER_OWNER, sampleEnd, started } from '../../src/testing/store-conformance/samples.ts'
import type { VaultWorld } from '../../src/testing/vault-conformance/case.ts'
import { vaultConformance } from '../../src/testing/vault-conformance.ts'
import { filePieces } from '../../src/vault/file-pieces.ts'
import { objectsIn } from '../../src/vault/objects.ts'
import { emptyStore, newDatabase } from '../postgres/shared.ts'

const database = await newDatabase()
const directory = mkdtempSync(join(tmpdir(), 'reprise-vault-'))
const opened: Store[] = []

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})
afterAll(async () => {
  rmSync(directory, { recursive: true })
  await database.drop()
})

await vaultConformance('files', async () => {
  const home = mkdtempSync(join(directory, 'files-'))
  return { directory: home, pieces: async () => filePieces(home), close: async () => {} }
})

async function rows(): Promise<VaultWorld> {
  await emptyStore(database)
  return {
    directory: mkdtempSync(join(directory, 'rows-')),
    async pieces() {
      const store = await postgres(database.url)()
      opened.push(store)
      if (!store.pieces) throw new Error('a store in PostgreSQL keeps pieces')
      return store.pieces
    },
    close: async () => {},
  }
}

await vaultConformance('rows of PostgreSQL', rows)

test('I2 J-10 rows: only the holder of a thread writes by its token, and others only while nobody holds it', async () => {
  await emptyStore(database)
  const store = await postgres(database.url)()
  opened.push(store)
  if (!store.pieces) throw new Error('a store in PostgreSQL keeps pieces')
  const objects = objectsIn(store.pieces)
  const names = async () => (await objects.list('thr')).map(({ name }) => name)
  const put = (name: string, token: number | null, instead: readonly string[] = []) =>
    objects.put({ owner: 'thr', name }, Buffer.from(name), { fence: { threadId, token }, instead })
  const refused = { code: 'lease-lost' }

  const { run, lease, threadId } = await started(store)
  await put('one', lease.token)
  await expect(put('by nobody', null)).rejects.toMatchObject(refused)
  const later = await store.takeOver(run.id, lease.owner, OTHER_OWNER, 60_000)
  if (!later) throw new Error('nobody else took it over')
  await expect(put('late', lease.token, ['one'])).rejects.toMatchObject(refused)
  expect(await names()).toEqual(['one'])
  await put('two', later.token, ['one'])
  expect(await names()).toEqual(['two'])
  await store.endRun(later, sampleEnd(run))
  await expect(put('after the end', later.token)).rejects.toMatchObject(refused)
  await put('three', null)
  expect(await names()).toEqual(['three', 'two'])
})
