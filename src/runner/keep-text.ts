// Texts that agents read by path, such as instructions: the same text has the same path.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import { hashText } from '../core/hash-text.ts'
import { RepriseError } from '../errors.ts'
import { monotonicMs } from '../monotonic.ts'

export async function keepText(directory: string, text: string): Promise<string> {
  await disk.mkdir(directory, { recursive: true, mode: 0o700 })
  await refuseForeign(directory)
  const file = join(directory, `${hashText(text)}.md`)
  // In one step: another agent may be reading the same file just now.
  const draft = `${file}.${process.pid}.${monotonicMs()}`
  await disk.writeFile(draft, text, { mode: 0o600, flag: 'wx' })
  await disk.rename(draft, file)
  return file
}

/** Whoever else could write here could tell our agents what to do. */
async function refuseForeign(directory: string): Promise<void> {
  const { uid, mode } = await disk.lstat(directory)
  const isOurs = process.getuid === undefined || uid === process.getuid()
  if (isOurs && (mode & 0o022) === 0) return
  throw new RepriseError(
    'bad-config',
    `${directory} can be written to by others`,
    'Remove it, or pass another dataDir.',
  )
}
