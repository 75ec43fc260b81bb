// Finds the daemon of a data directory. Its process must be alive and not stopping; the client still asks it for a proof.
import { type DaemonFile, readDaemonFile } from './daemon-file.ts'

export type LivingProcess = Pick<DaemonFile, 'host' | 'pid' | 'startTime'>

export function findDaemon(
  home: string,
  isAlive: (process: LivingProcess) => boolean | null,
): DaemonFile | null {
  const daemon = readDaemonFile(home)
  if (daemon === null || daemon.stopping !== null) return null
  return isAlive(daemon) === true ? daemon : null
}
