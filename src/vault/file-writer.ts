// Writes session files to the disk: private, and the whole file or nothing.
import { promises as disk } from 'node:fs'
import { dirname } from 'node:path'
import type { FileWriter } from '../core/world.ts'
import { writeWhole } from './write-whole.ts'

export const systemFileWriter: FileWriter = {
  async write(path, content) {
    await disk.mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeWhole(path, Buffer.from(content))
  },
  remove: path => disk.rm(path, { force: true, recursive: true }),
}
