import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completed } from './completer.ts'

let workDir: string
beforeAll(() => {
  workDir = mkdtempSync(join(tmpdir(), 'reprise-complete-'))
  mkdirSync(join(workDir, 'src'))
  for (const name of ['readme.md', 'results.txt', '.hidden', 'src/main.ts'])
    writeFileSync(join(workDir, name), '')
})
afterAll(() => rmSync(workDir, { recursive: true, force: true }))

test.each([
  ['/re', ['/retry '], '/re'],
  ['/f', ['/fresh ', '/fork '], '/f'],
  ['look at re', ['readme.md', 'results.txt'], 're'],
  ['look at sr', ['src/'], 'sr'],
  ['look at src/m', ['src/main.ts'], 'src/m'],
  ['@src/', ['@src/main.ts'], '@src/'],
  ['./re', ['./readme.md', './results.txt'], './re'],
  ['.h', ['.hidden'], '.h'],
  ['see nothing/x', [], 'nothing/x'],
  ['two words ', [], ''],
])('Tab after `%s` offers %j', (line, candidates, part) => {
  expect(completed(line, workDir)).toEqual([candidates, part])
})

test('every command of the help is offered', () => {
  const [commands] = completed('/', workDir)
  expect(commands).toContain('/why ')
  expect(commands).toContain('/help ')
  expect(new Set(commands).size).toBe(commands.length)
})
