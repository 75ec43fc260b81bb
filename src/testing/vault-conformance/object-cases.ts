// Objects of threads and jobs in the vault.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { refusesWith } from '../store-conformance/case.ts'
import { damage, type VaultCase, vaultCase } from './case.ts'

const OWNER = 'job_1'

export const OBJECT_CASES: readonly VaultCase[] = [
  vaultCase(
    'V-1 gives objects back as they were, by owner and name, until the owner is removed',
    async ({ vault: { objects } }) => {
      const names = ['attempt-1', 'refs/reprise/job/2', '..', 'ü \u{1f600}', 'x'.repeat(150)]
      for (const name of names) await objects.put({ owner: OWNER, name }, Buffer.from(name))
      await objects.put({ owner: 'job_2', name: 'attempt-1' }, Buffer.from('of another'))
      for (const name of names) {
        const bytes = await objects.get({ owner: OWNER, name })
        assert.deepEqual(bytes && Buffer.from(bytes).toString('utf8'), name)
      }
      const listed = await objects.list(OWNER)
      assert.deepEqual(
        listed.map(({ name }) => name),
        names.toSorted(),
      )
      assert.ok(listed.every(({ bytes, at }) => bytes > 0 && at > 1_700_000_000_000))
      await objects.remove(OWNER)
      assert.deepEqual(await objects.list(OWNER), [])
      assert.equal(await objects.get({ owner: OWNER, name: 'attempt-1' }), null)
      assert.equal((await objects.list('job_2')).length, 1)
    },
  ),

  vaultCase('V-1 an object may be empty, large, and replaced', async ({ vault: { objects } }) => {
    const key = { owner: OWNER, name: 'bundle' }
    for (const bytes of [Buffer.alloc(0), randomBytes(20 * 1024 * 1024), Buffer.from('small')]) {
      await objects.put(key, bytes)
      const found = await objects.get(key)
      assert.ok(found !== null && bytes.equals(found))
    }
    assert.equal((await objects.list(OWNER)).length, 1)
  }),

  vaultCase('V-1 a damaged object is noticed', async ({ vault: { objects }, pieces }) => {
    const key = { owner: OWNER, name: 'bundle' }
    await objects.put(key, Buffer.from('a bundle'))
    await damage(pieces, { shelf: 'objects', owner: OWNER }, 'bundle')
    assert.equal(await objects.get(key), null)
    await objects.put(key, Buffer.from('a bundle'))
    assert.deepEqual(await objects.get(key), Buffer.from('a bundle'))
  }),

  vaultCase('V-1 refuses names that no file can have', async ({ vault: { objects } }) => {
    for (const name of ['', 'x'.repeat(201), '/'.repeat(100)]) {
      await refusesWith('bad-input', () =>
        objects.put({ owner: OWNER, name }, Buffer.from('bytes')),
      )
    }
  }),
]
