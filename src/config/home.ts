// Where Reprise keeps its data: $REPRISE_HOME, else the user's data directory.
import { chmodSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { RepriseError } from '../errors.ts'
import { makeDirectory } from '../make-directory.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export function homeDirectory(env: Environment): string {
  const home = env.REPRISE_HOME
  if (home) return absolute('REPRISE_HOME', home)
  const data = env.XDG_DATA_HOME
  // The XDG specification says to ignore a relative path.
  if (data && isAbsolute(data)) return join(data, 'reprise')
  return join(env.HOME || homedir(), '.local', 'share', 'reprise')
}

/** Creates the directory for this user alone; makes one that others could read private. */
export function prepareHome(home: string): void {
  try {
    makeDirectory(home)
    const stat = statSync(home)
    if ((stat.mode & 0o077) !== 0 && stat.uid === process.getuid?.()) chmodSync(home, 0o700)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new RepriseError(
      'bad-config',
      `the data directory ${home} cannot be used: ${why}`,
      'Set REPRISE_HOME to a directory that you can write to.',
      error,
    )
  }
}

function absolute(name: string, path: string): string {
  if (isAbsolute(path)) return path
  throw new RepriseError(
    'bad-config',
    `${name} is not an absolute path: ${path}`,
    `Set ${name} to a path that starts with /.`,
  )
}
