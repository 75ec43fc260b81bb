import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { BIN, ended, LAUNCHER } from './cli-world.ts'

const VERSION = JSON.parse(readFileSync(join(dirname(BIN), '..', 'package.json'), 'utf8')).version

test('--version prints the version and nothing else', async () => {
  const printed = await ended(spawn(LAUNCHER, ['--version']))
  expect(printed).toMatchObject({ code: 0, out: `${VERSION}\n`, err: '' })
})
