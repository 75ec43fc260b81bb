// Copies of session files: what is added, what begins anew, what is noticed, what is restored.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createVault } from '../../vault/vault.ts'
import { copyOf, damage, type VaultCase, vaultCase } from './case.ts'

export const COPY_CASES: readonly VaultCase[] = [
  vaultCase(
    'V-1 keeps only new whole lines of a file',
    async ({ vault, key, file, story, copy, names }) => {
      assert.equal(await vault.keep(key, file), 0)
      assert.equal(await vault.keptAt(key), null)
      assert.equal(await story('no end'), 0)
      assert.equal(await copy(), null)
      assert.equal(await story('one\ntwo\n'), 8)
      appendFileSync(file, 'three\nhal')
      assert.equal(await vault.keep(key, file), 14)
      assert.equal(await vault.keep(key, file), 14)
      assert.deepEqual(await names(), ['1.0.8', '1.8.14'])
      assert.equal(await copy(), 'one\ntwo\nthree\n')
      assert.ok(((await vault.keptAt(key)) ?? 0) > 1_700_000_000_000)
    },
  ),

  vaultCase(
    'V-1 a rewritten file is a new generation; the one before it stays, an older one goes',
    async ({ story, copy, names }) => {
      for (const text of ['one\n', 'second\n', 'third\n']) await story(text)
      assert.equal(await copy(), 'third\n')
      assert.deepEqual(await names(), ['2.0.7', '3.0.6'])
    },
  ),

  vaultCase(
    'V-1 a file that lost its end leaves the copy as it is',
    async ({ vault, key, file, story, copy }) => {
      await story('one\n')
      await story('one\ntwo\nthree\n')
      truncateSync(file, 6)
      assert.equal(await vault.keep(key, file), 14)
      assert.equal(await copy(), 'one\ntwo\nthree\n')
      writeFileSync(file, 'one\nTW')
      await vault.keep(key, file)
      assert.equal(await copy(), 'one\n')
    },
  ),

  vaultCase(
    'V-1 of a file that may be damaged, only what continues the copy is added',
    async ({ vault, key, file, story, copy }) => {
      await story('one\n')
      appendFileSync(file, 'two\ntor')
      assert.equal(await vault.extend(key, file), 8)
      writeFileSync(file, 'something else, and longer\n')
      assert.equal(await vault.extend(key, file), 8)
      assert.equal(await copy(), 'one\ntwo\n')
    },
  ),

  vaultCase(
    'V-1 V-2 a damaged piece is noticed and not restored, and the next copy is whole again',
    async ({ vault, pieces, place, key, file, story, copy }) => {
      await story('one\n')
      await story('one\ntwo\n')
      for (const name of ['1.0.4', '1.4.8']) {
        await damage(pieces, place, name)
        assert.equal(await copy(), null)
        const elsewhere = `${file}.restored`
        assert.equal(await vault.restore(key, elsewhere), false)
        assert.equal(existsSync(elsewhere), false)
      }
      await vault.keep(key, file)
      assert.equal(await copy(), 'one\ntwo\n')
    },
  ),

  vaultCase(
    'V-1 a copy of the same content as a damaged one is whole',
    async ({ vault, pieces, place, key, file, story }) => {
      await story('one\n')
      await damage(pieces, place, '1.0.4')
      const other = { ...key, sessionId: 'other' }
      await vault.keep(other, file)
      assert.equal(await copyOf(vault, other), 'one\n')
    },
  ),

  vaultCase(
    'V-1 a missing piece ends the copy before it',
    async ({ vault, pieces, place, key, file, story, copy }) => {
      for (const text of ['one\n', 'one\ntwo\n', 'one\ntwo\nthree\n']) await story(text)
      await pieces.drop(place, ['1.4.8'])
      assert.equal(await copy(), 'one\n')
      await vault.keep(key, file)
      assert.equal(await copy(), 'one\ntwo\nthree\n')
      await pieces.drop(place, ['1.0.4'])
      assert.equal(await copy(), null)
      await vault.keep(key, file)
      assert.equal(await copy(), 'one\ntwo\nthree\n')
    },
  ),

  vaultCase(
    'V-1 I12 restores a lost file, keeps what it replaces, and no other user can read it',
    async ({ world, vault, key, file, story, names }) => {
      assert.equal(await vault.restore(key, file), false)
      await story('one\ntwo\n')
      const elsewhere = join(world.directory, 'other', 'place', 'a1b2.jsonl')
      assert.equal(await vault.restore(key, elsewhere), true)
      assert.equal(readFileSync(elsewhere, 'utf8'), 'one\ntwo\n')
      assert.equal(statSync(elsewhere).mode & 0o777, 0o600)
      writeFileSync(file, 'one\ntorn')
      await vault.restore(key, file)
      assert.equal(readFileSync(file, 'utf8'), 'one\ntwo\n')
      assert.deepEqual(await names(), ['1.0.8', 'replaced-a1b2.jsonl'])
      rmSync(file)
    },
  ),

  vaultCase(
    'V-1 a line that does not compress and is larger than a piece comes back as it was',
    async ({ world, vault, key, file, copy }) => {
      writeFileSync(file, 'first\n')
      appendFileSync(file, `${randomBytes(10 * 1024 * 1024).toString('base64')}\nlast\n`)
      await vault.keep(key, file)
      const other = createVault(await world.pieces())
      assert.ok((await copyOf(other, key)) === readFileSync(file, 'utf8'))
      assert.ok((await copy()) !== null)
    },
  ),

  vaultCase('V-1 ids of agents may be anything', async ({ vault, file, story, pieces }) => {
    await story('one\n')
    const ids = ['../../../outside', '/etc/x', '..', 'a\0b', '', 'x'.repeat(300), 'ü/ß', '%2e']
    for (const sessionId of ids) {
      await vault.keep({ agent: '../up', sessionId }, file)
      assert.equal(await copyOf(vault, { agent: '../up', sessionId }), 'one\n')
    }
    assert.equal((await Array.fromAsync(pieces.all())).length, ids.length + 1)
    for (const sessionId of ids) await vault.remove({ agent: '../up', sessionId })
    assert.equal((await Array.fromAsync(pieces.all())).length, 1)
  }),
]
