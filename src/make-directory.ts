// Makes a directory and those above it, for this user alone.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes the directories one by one: Node's own recursion never ends below a directory that takes no children, such as /proc. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error
  }
}
