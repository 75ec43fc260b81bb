// Whether the daemon of the data directory runs. It looks at its file and its process, and asks nobody.
import { homeDirectory } from '../../config/home.ts'
import { type DaemonFile, readDaemonFile } from '../../daemon/process/daemon-file.ts'
import { isAlive } from '../../runner/real-world.ts'
import type { Io } from '../start/io.ts'

/** `null` also for a daemon that stops: it takes no new work. */
export function runningDaemon(io: Pick<Io, 'env'>): DaemonFile | null {
  const daemon = readDaemonFile(homeDirectory(io.env))
  return daemon !== null && daemon.stopping === null && isAlive(daemon) === true ? daemon : null
}
