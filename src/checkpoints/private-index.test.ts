import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeOldIndexes } from './private-index.ts'

test('J-6 an index file of a killed process is removed after an hour; one in use stays', async () => {
  const [old, used] = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'reprise-index-')))
  writeFileSync(join(old ?? '', 'index'), 'x')
  const seconds = Date.now() / 1_000 - 2 * 3_600
  utimesSync(old ?? '', seconds, seconds)
  await removeOldIndexes()
  expect([old, used].map(path => existsSync(path ?? ''))).toEqual([false, true])
  rmSync(used ?? '', { recursive: true })
})
