// The file system of this machine, as the fake agent writes to it.
import {
  appendFile,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname } from 'node:path'
import type { WritableFiles } from './world.ts'

export function diskFiles(): WritableFiles {
  return {
    async stat(path) {
      const found = await orNull(stat(path))
      if (found === null) return null
      const kind = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other'
      return { kind, sizeBytes: found.size, modifiedMs: found.mtimeMs }
    },
    realpath: path => orNull(realpath(path)),
    list: directory => orNull(readdir(directory)),
    async read(path, fromByte = 0, toByte) {
      const bytes = await orNull(readFile(path))
      return bytes === null ? null : bytes.subarray(fromByte, toByte)
    },
    async write(path, content) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    },
    async append(path, content) {
      await mkdir(dirname(path), { recursive: true })
      await appendFile(path, content, { mode: 0o600 })
    },
    remove: path => rm(path, { recursive: true, force: true }),
    async makeDirectory(path) {
      await mkdir(path, { recursive: true })
    },
    async claim(path) {
      const file = await open(path, 'wx').catch(() => null)
      await file?.close()
      return file !== null
    },
  }
}

/** `null` for a missing file; other errors are thrown. */
async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}
