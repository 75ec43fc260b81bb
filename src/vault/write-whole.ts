// Writes a private file in one step: all of it, on disk before it is seen under its name, or nothing.
import { open, rename } from 'node:fs/promises'

export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}.${performance.now()}.draft`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}
