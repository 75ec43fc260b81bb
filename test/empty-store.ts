// A store that nobody has used yet, as a file: a copy of one that is made once in each process of the test run.
import { mkdtempSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from '../src/store/sqlite/sqlite.ts'

let content: Promise<Buffer> | undefined

export async function placeEmptyStore(file: string): Promise<void> {
  content ??= emptyStore()
  await writeFile(file, await content, { mode: 0o600 })
}

async function emptyStore(): Promise<Buffer> {
  const file = join(mkdtempSync(join(tmpdir(), 'empty-store-')), 'reprise.db')
  await (await sqlite(file)()).close()
  return readFile(file)
}
