// Writes a private file in one step: all of it, on disk before it is seen under its name, or nothing.
import {
  closeSync,
  promises as disk,
  fsyncSync,
  openSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { monotonicMs } from '../monotonic.ts'

export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = draftOf(path)
  const file = await disk.open(draft, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(draft, path)
}

/** The same without another thread, for a few bytes: only the disk takes time then. */
export function writeNow(path: string, bytes: Uint8Array): void {
  const draft = draftOf(path)
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(file, bytes)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
}

function draftOf(path: string): string {
  return `${path}.${process.pid}.${monotonicMs()}.draft`
}
