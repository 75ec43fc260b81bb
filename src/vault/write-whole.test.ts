// A file that cannot be written leaves nothing behind.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeWhole } from './write-whole.ts'

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'reprise-whole-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('V-1 a file that cannot get its name leaves no draft, and the error says why', async () => {
  const place = directory()
  mkdirSync(join(place, 'taken'))
  const writing = writeWhole(join(place, 'taken'), Buffer.from('x'))
  await expect(writing).rejects.toMatchObject({ code: 'EISDIR' })
  expect(readdirSync(place)).toEqual(['taken'])
})

test('V-1 a file that cannot be written leaves no draft, and the error says why', async () => {
  const place = directory()
  // The bytes are no bytes: the write itself fails after the draft was made.
  const writing = writeWhole(join(place, 'file'), 7 as never)
  await expect(writing).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
  expect(readdirSync(place)).toEqual([])
})
