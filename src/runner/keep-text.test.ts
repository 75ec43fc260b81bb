import {
  chmodSync,
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
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepContext, keepText } from './keep-text.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'reprise-text-'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('the same text has the same path, private and whole', async () => {
  const directory = join(root, 'texts')
  const paths = await Promise.all([1, 2, 3].map(() => keepText(directory, 'Be brief.')))
  expect(new Set(paths).size).toBe(1)
  expect(readFileSync(paths[0] ?? '', 'utf8')).toBe('Be brief.')
  expect(statSync(paths[0] ?? '').mode & 0o077).toBe(0)
  expect(readdirSync(directory)).toHaveLength(1)
})

test('a directory that others can write to is refused', async () => {
  const directory = join(root, 'open')
  mkdirSync(directory)
  chmodSync(directory, 0o777)
  await expect(keepText(directory, 'x')).rejects.toMatchObject({ code: 'bad-config' })
})

test('S16 a file that an agent put beside its notes is removed before the next run', async () => {
  const file = { name: 'CLAUDE.md', text: '@/project/CLAUDE.md\n' }
  const own = await keepContext(join(root, 'context'), file)
  mkdirSync(join(own, '.claude'))
  writeFileSync(join(own, '.claude/settings.json'), '{}')
  writeFileSync(join(own, 'CLAUDE.md'), 'something else')
  expect(await keepContext(join(root, 'context'), file)).toBe(own)
  expect(readdirSync(own)).toEqual(['CLAUDE.md'])
  expect(readFileSync(join(own, 'CLAUDE.md'), 'utf8')).toBe(file.text)
})
