// Keeps compiled code between starts, in our own data directory: one that others can write to could feed us code.
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { homeDirectory } from '../config/home.ts'

/** Only once the data directory is there: asking for help must not create it. */
export function useCompileCache(env: Readonly<Record<string, string | undefined>>): void {
  try {
    const home = homeDirectory(env)
    if (existsSync(home)) enableCompileCache(join(home, 'cache'))
  } catch {
    // A wrong REPRISE_HOME is told when the config is loaded; here it only means a slower start.
  }
}
