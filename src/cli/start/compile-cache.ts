// Lets Node keep compiled code between starts, in our own data directory. Node's default is a directory below /tmp, where
// another user of this machine could leave code for us to run.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  type Stats,
  statSync,
} from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { type Environment, homeDirectory } from '../../config/home.ts'

/** Does nothing before the data directory is there: `reprise --help` must not create it. */
export function useCompileCache(env: Environment): void {
  try {
    const home = homeDirectory(env)
    if (!isOurs(statSync(home))) return
    const directory = join(home, 'cache')
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 })
    if (isOurs(lstatSync(directory))) enableIn(directory)
  } catch {
    // Without a cache the start only takes longer; if the data directory is unusable, `loadConfig` reports it.
  }
}

function enableIn(cache: string): void {
  enableCompileCache(cache)
  // Node has made a directory for its own version there, which others may read.
  for (const entry of readdirSync(cache, { withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(cache, entry.name), 0o700)
  }
}

/** Whether it is a directory of this user that nobody else may write to. */
function isOurs(entry: Stats): boolean {
  const isOwner = process.getuid === undefined || entry.uid === process.getuid()
  return entry.isDirectory() && isOwner && (entry.mode & 0o022) === 0
}
