import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesToKeep } from './backup-files.ts'

test('V-1 a backup has the outputs that were cut in a session, since the session names them by path', () => {
  const home = mkdtempSync(join(tmpdir(), 'backup-files-'))
  for (const place of ['outputs/thr_1', 'cache', 'logs']) {
    mkdirSync(join(home, place), { recursive: true })
    writeFileSync(join(home, place, 'file.txt'), '')
  }
  writeFileSync(join(home, 'token'), '')
  expect(filesToKeep(home)).toEqual(['outputs/thr_1/file.txt'])
})
