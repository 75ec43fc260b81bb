// The vault when its process dies, and what its rows in PostgreSQL are: shared, bounded, gone with the last piece.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { StoreWithWork } from '../../src/store/contract/store.ts'
import { postgres } from '../../src/store/postgres/postgres.ts'
import { createVault, type Vault } from '../../src/vault/vault.ts'
import { emptyStore, newDatabase, runOn, type TestDatabase } from '../postgres/shared.ts'
import { openPieces } from './store-programs/open-store.ts'

let directory = ''
let database: TestDatabase
let store: StoreWithWork
let vault: Vault

beforeAll(async () => {
  database = await newDatabase()
  store = await postgres(database.url)()
  if (!store.pieces) throw new Error('a store in PostgreSQL keeps pieces')
  vault = createVault(store.pieces)
})
beforeEach(async () => {
  await emptyStore(database)
  directory = mkdtempSync(join(tmpdir(), 'reprise-vault-'))
  return () => rmSync(directory, { recursive: true })
})
afterAll(async () => {
  await store.close()
  await database.drop()
})

test.each(['files', 'rows'])(
  'V-1 a process that is killed while it copies to %s leaves a copy of what it had acknowledged',
  async kind => {
    const place = kind === 'files' ? directory : database.url
    const file = join(directory, 'killed.jsonl')
    const key = { agent: 'x', sessionId: 'killed' }
    const program = join(import.meta.dirname, 'store-programs', 'keeper.ts')
    for (let kills = 0; kills < 4; kills += 1) {
      const keeper = spawn(process.execPath, [program, place, file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const printed = text(keeper.stdout)
      await once(keeper.stdout, 'data')
      await new Promise(resolve => setTimeout(resolve, Math.random() * 40))
      keeper.kill('SIGKILL')
      const acknowledged = Number((await printed).trim().split('\n').at(-1))
      const copy = Buffer.from((await createVault(await openPieces(place)).read(key)) ?? '')
      const all = readFileSync(file)
      expect(copy.length).toBeGreaterThanOrEqual(acknowledged)
      expect(all.subarray(0, copy.length).equals(copy)).toBe(true)
    }
  },
)

test('V-1 equal content is one row, which goes with its last piece; no part is larger than 8 MiB', async () => {
  const bytes = randomBytes(20 * 1024 * 1024)
  for (const owner of ['job_1', 'job_2']) await vault.objects.put({ owner, name: 'a' }, bytes)
  const counts = () =>
    database.run(`
      select
        (select count(*)::int from reprise.vault_pieces) as pieces,
        (select count(*)::int from reprise.vault_contents) as contents,
        (select count(*)::int from reprise.vault_parts) as parts,
        (select max(length(packed))::int from reprise.vault_parts) as largest
    `)
  expect(await counts()).toEqual([{ pieces: 2, contents: 1, parts: 3, largest: 8 * 1024 * 1024 }])
  expect(await store.verify()).toEqual([])
  await vault.objects.remove('job_1')
  expect(await counts()).toMatchObject([{ pieces: 1, contents: 1, parts: 3 }])
  await vault.objects.put({ owner: 'job_2', name: 'a' }, Buffer.from('other'))
  expect(await counts()).toMatchObject([{ pieces: 1, contents: 1, parts: 1 }])
  await vault.objects.remove('job_2')
  expect(await counts()).toMatchObject([{ pieces: 0, contents: 0, parts: 0 }])
})

test('V-1 a removal waits for a process that is about to keep the same content, and leaves it', async () => {
  const first = { owner: 'job_1', name: 'a' }
  await vault.objects.put(first, Buffer.from('the same'))
  const [{ digest } = {}] = await database.run('select digest from reprise.vault_contents')
  // As a writer that has locked the content and has not written its piece yet.
  await database.run('begin')
  await database.run(`update reprise.vault_contents set bytes = bytes where digest = '${digest}'`)
  const removing = vault.objects.remove(first.owner)
  await expect
    .poll(() =>
      runOn(database.url, "select 1 from pg_stat_activity where wait_event_type = 'Lock'"),
    )
    .toHaveLength(1)
  await database.run(
    `insert into reprise.vault_pieces values ('objects', 'job_2', '', 'b', '${digest}', 1)`,
  )
  await database.run('commit')
  await removing
  expect(await vault.objects.get(first)).toBeNull()
  const kept = await vault.objects.get({ owner: 'job_2', name: 'b' })
  expect(kept && Buffer.from(kept).toString()).toBe('the same')
})

test('V-1 verify finds content that lost a part', async () => {
  const bytes = randomBytes(10 * 1024 * 1024)
  await vault.objects.put({ owner: 'job_1', name: 'a' }, bytes)
  await database.run('delete from reprise.vault_parts where part = 1')
  const rules = (await store.verify()).map(({ rule }) => rule)
  expect(rules).toEqual(['V-1-content-of-pieces-whole'])
  expect(await vault.objects.get({ owner: 'job_1', name: 'a' })).toBeNull()
})

test('V-1 what cannot be stored is an error of the vault, and leaves the copy as it was', async () => {
  const file = join(directory, 'a.jsonl')
  const key = { agent: 'x', sessionId: 'a' }
  writeFileSync(file, 'one\n')
  await vault.keep(key, file)
  await database.run(
    'alter table reprise.vault_pieces add constraint full_disk check (at = 0) not valid',
  )
  try {
    writeFileSync(file, 'one\ntwo\n')
    await expect(vault.keep(key, file)).rejects.toThrow('the store refused a value')
  } finally {
    await database.run('alter table reprise.vault_pieces drop constraint full_disk')
  }
  expect(Buffer.from((await vault.read(key)) ?? '').toString()).toBe('one\n')
})
