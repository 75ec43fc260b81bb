import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fc } from '../../test/properties.ts'
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
  vault = createVault(join(root, 'vault'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const text = async () => {
  const copy = await vault.read(key)
  return copy === null ? null : Buffer.from(copy).toString('utf8')
}

describe('V-1 after each run', () => {
  test('the vault adds only new whole lines, and no other user can read them', async () => {
    writeFileSync(file, 'one\ntwo\n')
    expect(await vault.keep(key, file)).toBe(8)
    appendFileSync(file, 'three\nhal')
    expect(await vault.keep(key, file)).toBe(14)
    expect(await vault.keep(key, file)).toBe(14)
    expect(readdirSync(copies()).sort()).toEqual(['1.0.8.gz', '1.8.14.gz'])
    expect(await text()).toBe('one\ntwo\nthree\n')
    for (const name of readdirSync(copies())) {
      expect(statSync(join(copies(), name)).mode & 0o777).toBe(0o600)
    }
    expect(statSync(copies()).mode & 0o777).toBe(0o700)
  })

  test('a file that lost its end leaves the copy as it is; a rewritten file is copied again', async () => {
    writeFileSync(file, 'one\ntwo\n')
    await vault.keep(key, file)
    truncateSync(file, 5)
    expect(await vault.keep(key, file)).toBe(8)
    expect(await text()).toBe('one\ntwo\n')
    writeFileSync(file, 'another\nstory, longer than before\n')
    await vault.keep(key, file)
    expect(await text()).toBe('another\nstory, longer than before\n')
  })

  test('the copy before the last rewriting of a file stays, an older one goes', async () => {
    for (const story of ['one\n', 'second\n', 'third\n']) {
      writeFileSync(file, story)
      await vault.keep(key, file)
    }
    expect(await text()).toBe('third\n')
    expect(readdirSync(copies()).sort()).toEqual(['2.0.7.gz', '3.0.6.gz'])
  })

  test('of a file that may be damaged, the vault adds only what continues the copy', async () => {
    writeFileSync(file, 'one\n')
    expect(await vault.extend(key, file)).toBe(4)
    appendFileSync(file, 'two\ntor')
    expect(await vault.extend(key, file)).toBe(8)
    writeFileSync(file, 'something else, and longer\n')
    expect(await vault.extend(key, file)).toBe(8)
    expect(await text()).toBe('one\ntwo\n')
  })

  test('a missing file, or one without a whole line, leaves no copy', async () => {
    expect(await vault.keep(key, file)).toBe(0)
    writeFileSync(file, 'no end')
    expect(await vault.keep(key, file)).toBe(0)
    expect(await text()).toBe(null)
  })

  test('after any sequence of appends, the copy is the file up to its last whole line', async () => {
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

describe('V-1 I12 restoring', () => {
  test('writes a deleted file again, also to another place, and no other user can read it', async () => {
    writeFileSync(file, 'one\ntwo\n')
    await vault.keep(key, file)
    rmSync(file)
    expect(await vault.restore(key, file)).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const elsewhere = join(root, 'other/place/a1b2.jsonl')
    await vault.restore(key, elsewhere)
    expect(readFileSync(elsewhere, 'utf8')).toBe('one\ntwo\n')
  })

  test('keeps what it replaces', async () => {
    writeFileSync(file, 'one\ntwo\n')
    await vault.keep(key, file)
    writeFileSync(file, 'one\ntorn')
    await vault.restore(key, file)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    expect(readFileSync(join(copies(), 'replaced-a1b2.jsonl'), 'utf8')).toBe('one\ntorn')
    expect(await text()).toBe('one\ntwo\n')
  })

  test('a damaged copy is not restored', async () => {
    writeFileSync(file, 'one\n')
    await vault.keep(key, file)
    appendFileSync(file, 'two\n')
    await vault.keep(key, file)
    const piece = join(copies(), '1.4.8.gz')
    const bytes = readFileSync(piece)
    for (const at of [0, 31, bytes.length - 3]) {
      const broken = Buffer.from(bytes)
      broken[at] = (broken[at] ?? 0) ^ 0x41
      writeFileSync(piece, broken)
      expect(await vault.read(key)).toBe(null)
    }
    rmSync(file)
    expect(await vault.restore(key, file)).toBe(false)
    expect(existsSync(file)).toBe(false)
  })

  test('a missing piece ends the copy before it; leftovers of a crash do not count', async () => {
    for (const line of ['one\n', 'two\n', 'three\n']) {
      appendFileSync(file, line)
      await vault.keep(key, file)
    }
    rmSync(join(copies(), '1.4.8.gz'))
    writeFileSync(join(copies(), '1.4.99.gz.1.draft'), 'half')
    expect(await text()).toBe('one\n')
    await vault.keep(key, file)
    expect(await text()).toBe('one\ntwo\nthree\n')
  })

  test('ids cannot lead out of the vault', async () => {
    writeFileSync(file, 'one\n')
    for (const sessionId of ['../../../outside', '/etc/x', '..', 'a\0b', '', 'x'.repeat(300)]) {
      await vault.keep({ agent: '../up', sessionId }, file)
      expect(await vault.read({ agent: '../up', sessionId })).not.toBe(null)
    }
    expect(readdirSync(root).sort()).toEqual(['sessions', 'vault'])
    expect(readdirSync(join(root, 'vault'))).toHaveLength(1)
  })
})
