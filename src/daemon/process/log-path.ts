// Where the daemon's log is. Apart from log.ts, so that a reader does not load the logger.
import { join } from 'node:path'

export function logPath(home: string): string {
  return join(home, 'logs', 'daemon.log')
}
