// Keeps compiled code between starts, in our own data directory: one that others can write to could feed us code.
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { homeDirectory } from '../config/home.ts'

const FOR_OWNER_ALONE = 0o077

/** Only once the data directory is there: asking for help must not create it. */
export function useCompileCache(env: Readonly<Record<string, string | undefined>>): void {
  try {
    const home = homeDirectory(env)
    if (!existsSync(home)) return
    const before = process.umask(FOR_OWNER_ALONE)
    enableCompileCache(join(home, 'cache'))
    // Not for longer: agents inherit it, and what they write is for whoever their user likes.
    process.umask(before)
    // Its files are written after the last of our own code has run.
    process.once('exit', () => process.umask(FOR_OWNER_ALONE))
  } catch {
    // A wrong REPRISE_HOME is told when the config is loaded; here it only means a slower start.
  }
}
