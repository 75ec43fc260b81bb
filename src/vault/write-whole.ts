// Writes a private file in one step: the whole file is on disk before it gets its name, or nothing is.
import { randomUUID } from 'node:crypto'
import { promises as disk } from 'node:fs'

export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${randomUUID()}.draft`
  const file = await disk.open(draft, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(draft, path)
}
