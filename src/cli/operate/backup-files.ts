// The files of a backup: what the data directory holds besides the store that is needed to go on elsewhere.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Session copies, archives, and the texts that agents read by path. */
const DIRECTORIES = [
  ...['vault', 'vault-objects', 'agent-sessions'],
  ...['instructions', 'context', 'outputs'],
]
const CONFIG = 'config.yaml'

/** Paths relative to the data directory. Tokens, sockets, logs and caches stay behind: they are made anew. */
export function filesToKeep(home: string): readonly string[] {
  const inDirectories = DIRECTORIES.flatMap(directory => filesBelow(home, directory))
  return [...(existsSync(join(home, CONFIG)) ? [CONFIG] : []), ...inDirectories]
}

function filesBelow(home: string, path: string): readonly string[] {
  const stat = statSync(join(home, path), { throwIfNoEntry: false })
  if (stat?.isFile()) return [path]
  if (!stat?.isDirectory()) return []
  return readdirSync(join(home, path)).flatMap(name => filesBelow(home, `${path}/${name}`))
}
