// Writes a private file in one step: the whole file is on disk before it gets its name, or nothing is.
import { randomUUID } from 'node:crypto'
import { promises as disk } from 'node:fs'

export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${randomUUID()}.draft`
  try {
    await writeSynced(draft, bytes)
    await disk.rename(draft, path)
  } catch (error) {
    // The disk may be full: half a draft must not keep it full. Why the file was not written counts for more.
    await disk.rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await disk.open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
