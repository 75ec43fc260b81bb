// Is there a daemon for this data directory? Only one whose process lives counts; who it is, it still has to prove.
import { type DaemonFile, readDaemonFile } from './daemon-file.ts'

export type LivingProcess = Pick<DaemonFile, 'host' | 'pid' | 'startTime'>

export function findDaemon(
  home: string,
  isAlive: (process: LivingProcess) => boolean | null,
): DaemonFile | null {
  const daemon = readDaemonFile(home)
  return daemon !== null && isAlive(daemon) === true ? daemon : null
}
