// Texts that agents read by path, such as instructions: the same text has the same path.
import { randomUUID } from 'node:crypto'
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import { hashText } from '../core/hash-text.ts'
import { RepriseError } from '../errors.ts'

export async function keepText(directory: string, text: string): Promise<string> {
  return keepFile(directory, `${hashText(text)}.md`, text)
}

/**
 * Returns a directory that holds only this file. The file is written again each time, because an agent that may write
 * could have changed it, or put settings of its own beside it.
 */
export async function keepContext(
  directory: string,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<string> {
  const own = join(directory, hashText(text))
  await keepFile(own, name, text)
  for (const entry of await disk.readdir(own)) {
    // Drafts of this file belong to processes that are writing it right now.
    if (entry !== name && !entry.startsWith(`${name}.`)) {
      await disk.rm(join(own, entry), { recursive: true, force: true })
    }
  }
  return own
}

async function keepFile(directory: string, name: string, text: string): Promise<string> {
  await disk.mkdir(directory, { recursive: true, mode: 0o700 })
  await refuseForeign(directory)
  const file = join(directory, name)
  // A rename replaces the file in one step, because another agent may be reading it.
  const draft = `${file}.${randomUUID()}`
  await disk.writeFile(draft, text, { mode: 0o600, flag: 'wx' })
  await disk.rename(draft, file)
  return file
}

/** Another user who can write here could change the instructions of our agents. */
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
