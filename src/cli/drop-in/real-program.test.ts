import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { realProgram } from './real-program.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-real-program-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const program = (path: string) => {
  const file = join(root, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, 0o755)
  return file
}
const self = program('ours/bin/reprise.js')
const launcher = program('ours/bin/reprise-claude')
const real = program('real/claude')
mkdirSync(join(root, 'links'))
symlinkSync(launcher, join(root, 'links/claude'))
const PATH = `${join(root, 'links')}:relative:${join(root, 'real')}`
const usual = { named: null, self }

test('W-2 the first program on PATH that is not ours is the real one', () => {
  expect(realProgram({ PATH }, usual).file).toBe(real)
})

test('W-2 REPRISE_CLAUDE names the program, else the config does', () => {
  const other = program('other/claude-2')
  expect(realProgram({ PATH, REPRISE_CLAUDE: other }, usual).file).toBe(other)
  expect(realProgram({ PATH }, { named: other, self }).file).toBe(other)
})

test.each([
  ['a link to us', join(root, 'links/claude')],
  ['our launcher', launcher],
])('W-2 %s is refused as the real program', (_, REPRISE_CLAUDE) => {
  expect(() => realProgram({ PATH, REPRISE_CLAUDE }, usual)).toThrow(/start itself for ever/)
})

test('W-2 a script that calls us again is refused, in a child and in the same process', () => {
  for (const pid of [process.pid, process.ppid]) {
    const env = { PATH, REPRISE_DROP_IN: `${pid}:1` }
    expect(() => realProgram(env, usual)).toThrow(/called `reprise claude` again/)
  }
})

test('W-2 an agent that calls itself by a tool gets its own program, but not for ever', () => {
  const inner = realProgram({ PATH, REPRISE_DROP_IN: '1:3' }, usual)
  expect(inner.env.REPRISE_DROP_IN).toBe(`${process.pid}:4`)
  expect(() => realProgram({ PATH, REPRISE_DROP_IN: '1:10' }, usual)).toThrow(/for ever/)
})

test('W-2 the program gets the environment of the caller', () => {
  const { env } = realProgram({ PATH, CLAUDECODE: '1', EMPTY: undefined }, usual)
  expect(env).toEqual({ PATH, CLAUDECODE: '1', REPRISE_DROP_IN: `${process.pid}:1` })
})

test('W-2 without a program, an error says how to name one', () => {
  expect(() => realProgram({ PATH: '/nowhere' }, usual)).toThrow(/"claude" was not found/)
})
