import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { BIN, ended, LAUNCHER } from './cli-world.ts'

const VERSION = JSON.parse(readFileSync(join(dirname(BIN), '..', 'package.json'), 'utf8')).version
test('--version prints the version and nothing else', async () => {
  const printed = await ended(spawn(LAUNCHER, ['--version']))
  expect(printed).toMatchObject({ code: 0, out: `${VERSION}\n`, err: '' })
})

test('what a turn needs before its agent starts is in four files, and none of them loads zlib', () => {
  const chunks = join(dirname(BIN), '..', 'dist', 'cli', 'chunks')
  for (const name of ['start', 'cli', 'turn', 'store']) {
    const files = readdirSync(chunks).filter(file => file.startsWith(`${name}-`))
    expect(files, name).toHaveLength(1)
    const code = readFileSync(join(chunks, files[0] ?? ''), 'utf8')
    expect(code.match(/require\(["'`](?:node:)?zlib["'`]\)/), name).toBeNull()
  }
})
