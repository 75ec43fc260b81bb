// One daemon per data directory: the process holds a lock of the operating system for exactly as long as it lives.
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { RepriseError } from '../../errors.ts'
import { readDaemonFile } from './daemon-file.ts'
import { codeOf } from './private-file.ts'

export type InstanceLock = { release(): void }

/**
 * Node has no portable file lock; SQLite has one. It ends with its process, also by `kill -9`.
 * It is never stale, so no process ever takes it over, and two that start at once cannot both get it.
 */
export function lockInstance(home: string): InstanceLock {
  const path = join(home, 'daemon.lock')
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600))
  const database = new Database(path, { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (codeOf(error).startsWith('SQLITE_BUSY')) throw alreadyRunning(home)
    throw error
  }
  return {
    release: () => {
      database.exec('rollback')
      database.close()
    },
  }
}

function alreadyRunning(home: string): RepriseError {
  const daemon = readDaemonFile(home)
  const where =
    daemon === null || daemon.stopping !== null
      ? 'is starting or stopping'
      : `runs at ${daemon.url}`
  const who = daemon === null ? '' : ` (pid ${daemon.pid})`
  return new RepriseError(
    'conflict',
    `a daemon of the data directory ${home} ${where}${who}`,
    daemon === null
      ? 'try again in a moment, or set REPRISE_HOME to another directory'
      : `use that one, stop it with \`reprise stop\`, or set REPRISE_HOME to another directory`,
  )
}
