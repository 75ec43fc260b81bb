// What is special about a vault of files; what every vault does is in src/testing/vault-conformance.
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fc } from '../../test/properties.ts'
import { hashText } from '../core/hash-text.ts'
import { filePieces } from './file-pieces.ts'
import { wholeOf } from './segment.ts'
import { createVault, type Vault } from './vault.ts'

let root: string
let file: string
let vault: Vault
const key = { agent: 'claude-code', sessionId: 'a1b2' }
const copies = () => join(root, 'vault/claude-code/a1b2')

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'reprise-vault-'))
  file = join(root, 'sessions/a1b2.jsonl')
  mkdirSync(join(root, 'sessions'))
  vault = createVault(filePieces(root))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const text = async () => {
  const copy = await vault.read(key)
  return copy === null ? null : Buffer.from(copy).toString('utf8')
}

describe('V-1 a vault of files', () => {
  test('copies nothing from a directory that is in the place of the file, and keeps what it has', async () => {
    writeFileSync(file, 'one\ntwo\n')
    await vault.keep(key, file)
    rmSync(file)
    mkdirSync(file)
    writeFileSync(join(file, 'within'), 'x')
    expect([await vault.extend(key, file), await vault.keep(key, file)]).toEqual([0, 0])
    expect(await text()).toBe('one\ntwo\n')
  })

  test('is one file for each piece, which no other user can read', async () => {
    writeFileSync(file, 'one\ntwo\n')
    await vault.keep(key, file)
    appendFileSync(file, 'three\n')
    await vault.keep(key, file)
    await vault.objects.put({ owner: 'job_1', name: 'a/b' }, Buffer.from('x'))
    expect(readdirSync(copies()).sort()).toEqual(['1.0.8.gz', '1.8.14.gz'])
    for (const name of readdirSync(copies())) {
      expect(statSync(join(copies(), name)).mode & 0o777).toBe(0o600)
    }
    expect(statSync(copies()).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(root, 'vault-objects/job_1'))).toEqual(['a%2Fb.gz'])
    expect(statSync(join(root, 'vault-objects/job_1/a%2Fb.gz')).mode & 0o777).toBe(0o600)
  })

  test('is read as earlier versions wrote it', async () => {
    mkdirSync(copies(), { recursive: true })
    const pieces = { '1.0.4.gz': 'one\n', '1.4.8.gz': 'two\n' }
    for (const [name, content] of Object.entries(pieces)) {
      const digest = Buffer.from(hashText(content), 'hex')
      writeFileSync(join(copies(), name), Buffer.concat([digest, gzipSync(content)]))
    }
    writeFileSync(join(copies(), 'replaced-a1b2.jsonl'), 'a file that was replaced')
    expect(await text()).toBe('one\ntwo\n')
    writeFileSync(file, 'one\ntwo\nthree\n')
    expect(await vault.keep(key, file)).toBe(14)
    expect(readdirSync(copies())).toHaveLength(4)
    await vault.remove(key)
    expect(readdirSync(join(root, 'vault/claude-code'))).toEqual([])
  })

  test('is continued after a run by the names of its pieces, without a look at each of them', async () => {
    const pieces = filePieces(root)
    let listings = 0
    const counted = createVault({
      ...pieces,
      list: place => {
        listings += 1
        return pieces.list(place)
      },
    })
    for (const line of ['one\n', 'two\n', 'three\n']) {
      appendFileSync(file, line)
      await counted.keep(key, file)
    }
    expect(await text()).toBe('one\ntwo\nthree\n')
    expect(listings).toBe(0)
    mkdirSync(join(copies(), '1.14.99.gz'))
    expect(await pieces.names({ shelf: 'sessions', ...key })).toHaveLength(3)
  })

  test('does not count leftovers of a crash and files of others', async () => {
    writeFileSync(file, 'one\n')
    await vault.keep(key, file)
    for (const name of ['1.4.99.gz.1.draft', '%zz.gz', 'notes.txt'])
      writeFileSync(join(copies(), name), 'half')
    expect(await text()).toBe('one\n')
    mkdirSync(join(copies(), '1.4.8.gz'))
    expect(await text()).toBe('one\n')
  })

  test('notices a change of any part of a piece', async () => {
    writeFileSync(file, 'one\n')
    await vault.keep(key, file)
    const piece = join(copies(), '1.0.4.gz')
    const bytes = readFileSync(piece)
    for (const at of [0, 31, bytes.length - 3]) {
      const broken = Buffer.from(bytes)
      broken[at] = (broken[at] ?? 0) ^ 0x41
      writeFileSync(piece, broken)
      expect(await text()).toBe(null)
    }
  })

  test('stays in its directory, whatever ids lead to', async () => {
    writeFileSync(file, 'one\n')
    for (const sessionId of ['../../../outside', '/etc/x', '..', 'a\0b', '', 'x'.repeat(300)]) {
      await vault.keep({ agent: '../up', sessionId }, file)
      await vault.objects.put({ owner: sessionId, name: '..' }, Buffer.from('x'))
    }
    expect(readdirSync(root).sort()).toEqual(['sessions', 'vault', 'vault-objects'])
    expect(readdirSync(join(root, 'vault'))).toHaveLength(1)
  })

  test('holds the file up to its last whole line, after any sequence of appends', async () => {
    const pieces = fc.array(
      fc.string({ unit: fc.constantFrom('a', 'ü', '\n', '{'), maxLength: 30 }),
    )
    await fc.assert(
      fc.asyncProperty(pieces, async list => {
        await vault.remove(key)
        writeFileSync(file, '')
        for (const piece of list) {
          appendFileSync(file, piece)
          await vault.keep(key, file)
        }
        const all = readFileSync(file, 'utf8')
        expect((await text()) ?? '').toBe(all.slice(0, all.lastIndexOf('\n') + 1))
      }),
      { numRuns: 50 },
    )
  })
})

test('V-1 the pieces of a copy follow each other and reach as far as any do', () => {
  const piece = fc.tuple(fc.nat(12), fc.integer({ min: 1, max: 6 }))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), drawn => {
      const names = drawn.map(([from, length]) => `1.${from}.${from + length}`)
      const whole = wholeOf(names)
      let end = 0
      for (const { from, to } of whole) {
        expect(from).toBe(end)
        end = to
      }
      const reachable = new Set([0])
      for (let round = 0; round < 12; round += 1) {
        for (const [from, length] of drawn) if (reachable.has(from)) reachable.add(from + length)
      }
      expect(end).toBe(Math.max(...reachable))
    }),
  )
})
