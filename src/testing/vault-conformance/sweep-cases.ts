// Several processes on one vault, and the sweep that removes what belongs to nobody and what is too much.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PieceOwnerVerbs } from '../../store/contract/pieces.ts'
import { createVault } from '../../vault/vault.ts'
import { copyOf, type VaultCase, vaultCase } from './case.ts'

/** The store knows none of them, or all. */
const NOBODY: PieceOwnerVerbs['withoutOwner'] = async places => places
const ALL: PieceOwnerVerbs['withoutOwner'] = async () => []
const FUTURE = 8_000_000_000_000

export const SWEEP_CASES: readonly VaultCase[] = [
  vaultCase(
    'V-1 two processes keep the same session at once, and the copy is the file',
    async ({ world, vault, key, file, copy }) => {
      const other = createVault(await world.pieces())
      let text = ''
      for (let round = 0; round < 12; round += 1) {
        const line = `${'x'.repeat(round)} ${round}\n`
        text += line
        appendFileSync(file, line)
        const first = vault.keep(key, file)
        appendFileSync(file, `${line}half`)
        const second = other.keep(key, file)
        await Promise.all([first, second])
        text += line
        writeFileSync(file, text)
      }
      await vault.keep(key, file)
      assert.equal(await copy(), text)
      assert.equal(await copyOf(other, key), text)
    },
  ),

  vaultCase(
    'V-1 pieces that overlap are one copy, as far as any of them reaches',
    async ({ vault, pieces, place, key, file, story, copy, names }) => {
      await story('one\n')
      await story('one\ntwo\n')
      const [piece] = (await pieces.read(place, ['1.4.8'])).values()
      assert.ok(piece)
      await pieces.drop(place, ['1.4.8'])
      await story('one\ntwo\nthree\n')
      // Another process had copied less at the same time.
      await pieces.write(place, '1.4.8', piece)
      assert.deepEqual(await names(), ['1.0.4', '1.4.14', '1.4.8'])
      appendFileSync(file, 'four\n')
      await vault.keep(key, file)
      assert.equal(await copy(), 'one\ntwo\nthree\nfour\n')
    },
  ),

  vaultCase(
    'V-6 a copy that is removed while it is made is whole or gone, and goes with the next removal',
    async ({ world, vault, pieces, key, file, story, copy }) => {
      const other = createVault(await world.pieces())
      for (let round = 0; round < 8; round += 1) {
        await story('one\ntwo\n')
        appendFileSync(file, 'three\n')
        await Promise.all([vault.keep(key, file), other.remove(key)])
        const found = await copy()
        assert.ok(found === null || 'one\ntwo\nthree\n'.startsWith(found), `found ${found}`)
        await vault.keep(key, file)
        assert.equal(await copy(), 'one\ntwo\nthree\n')
        await other.remove(key)
        assert.deepEqual(await Array.fromAsync(pieces.all()), [])
      }
    },
  ),

  vaultCase(
    'V-6 a piece is written also while its session is removed, again and again',
    async ({ world, pieces, place, story }) => {
      await story('one\n')
      const other = await world.pieces()
      const [piece] = (await pieces.read(place, ['1.0.4'])).values()
      assert.ok(piece)
      for (let round = 0; round < 100; round += 1) {
        await Promise.all([pieces.write(place, '1.0.4', piece), other.remove(place)])
      }
      await pieces.write(place, '1.0.4', piece)
      assert.deepEqual([...(await pieces.read(place, ['1.0.4'])).keys()], ['1.0.4'])
    },
  ),

  vaultCase(
    'V-1 the same content of two sessions outlives one of them, also while both come and go',
    async ({ world, vault, file, story }) => {
      await story('the same\n')
      const other = createVault(await world.pieces())
      const keys = ['a', 'b'].map(sessionId => ({ agent: 'x', sessionId }))
      const come = async (mine: typeof vault, key: (typeof keys)[number]) => {
        for (let round = 0; round < 15; round += 1) {
          await mine.keep(key, file)
          assert.equal(await copyOf(mine, key), 'the same\n')
          await mine.remove(key)
        }
      }
      const [a, b] = keys
      assert.ok(a && b)
      await Promise.all([come(vault, a), come(other, b)])
      await vault.keep(a, file)
      await vault.keep(b, file)
      await vault.remove(a)
      assert.equal(await copyOf(vault, b), 'the same\n')
    },
  ),

  vaultCase(
    'V-6 the sweep removes what belongs to nobody, unless it is new',
    async ({ vault, pieces, key, story, copy }) => {
      await story('one\n')
      await vault.objects.put({ owner: 'job_1', name: 'bundle' }, Buffer.from('x'))
      const known: PieceOwnerVerbs['withoutOwner'] = async places =>
        places.filter(place => place.shelf === 'objects')
      const sweep = { maxBytes: null, before: FUTURE }
      assert.deepEqual(await vault.sweep({ ...sweep, withoutOwner: ALL }), {
        removed: 0,
        dropped: 0,
      })
      const recent = { ...sweep, before: 1_000, withoutOwner: NOBODY }
      assert.equal((await vault.sweep(recent)).removed, 0)
      assert.equal((await vault.sweep({ ...sweep, withoutOwner: known })).removed, 1)
      assert.deepEqual(await vault.objects.list('job_1'), [])
      assert.equal(await copy(), 'one\n')
      assert.equal((await vault.sweep({ ...sweep, withoutOwner: NOBODY })).removed, 1)
      assert.deepEqual(await Array.fromAsync(pieces.all()), [])
      assert.equal(await vault.keptAt(key), null)
    },
  ),

  vaultCase(
    'V-1 the sweep never removes a copy whose id it cannot read',
    async ({ vault, file, story }) => {
      await story('one\n')
      const hidden = { agent: '../up', sessionId: 'a/b' }
      await vault.keep(hidden, file)
      const asked: string[] = []
      const withoutOwner: PieceOwnerVerbs['withoutOwner'] = async places => {
        asked.push(...places.map(place => ('sessionId' in place ? place.sessionId : '')))
        return places.filter(place => 'sessionId' in place && place.sessionId.startsWith('x-'))
      }
      await vault.sweep({ maxBytes: null, before: FUTURE, withoutOwner })
      assert.ok(asked.includes('a1b2'))
      assert.equal(await copyOf(vault, hidden), 'one\n')
    },
  ),

  vaultCase(
    'V-1 the sweep drops earlier generations first, then the oldest copies, and no object',
    async ({ world, vault, pieces }) => {
      const size = 50_000
      const tell = async (sessionId: string) => {
        const path = join(world.directory, `${sessionId}.jsonl`)
        writeFileSync(path, `${randomBytes(size).toString('latin1').replaceAll('\n', ' ')}\n`)
        await vault.keep({ agent: 'x', sessionId }, path)
      }
      for (const sessionId of ['old', 'new', 'new']) await tell(sessionId)
      await vault.objects.put({ owner: 'job_1', name: 'bundle' }, randomBytes(size))
      const stored = await Array.fromAsync(pieces.all())
      const total = stored.reduce((sum, { piece }) => sum + piece.bytes, 0)
      const left = async () =>
        (await Array.fromAsync(pieces.all())).map(({ place, piece }) =>
          place.shelf === 'objects' ? piece.name : `${place.sessionId} ${piece.name[0]}`,
        )
      const sweep = { before: FUTURE, withoutOwner: ALL }
      await vault.sweep({ ...sweep, maxBytes: total })
      assert.deepEqual((await left()).toSorted(), ['bundle', 'new 1', 'new 2', 'old 1'])
      await vault.sweep({ ...sweep, maxBytes: total - 1 })
      assert.deepEqual((await left()).toSorted(), ['bundle', 'new 2', 'old 1'])
      await vault.sweep({ ...sweep, maxBytes: total / 2 })
      assert.deepEqual((await left()).toSorted(), ['bundle', 'new 2'])
      await vault.sweep({ ...sweep, maxBytes: 1 })
      assert.deepEqual(await left(), ['bundle'])
    },
  ),
]
