// The state of the daemon of a data directory, from its file, its process, its lock and its own answer.
import type { Config } from '../../config/config.ts'
import type { Health } from '../../daemon/contract/report.ts'
import { type DaemonFile, readDaemonFile } from '../../daemon/process/daemon-file.ts'
import { isAlive } from '../../runner/real-world.ts'

export type DaemonState =
  | { readonly state: 'running'; readonly daemon: DaemonFile; readonly health: Health }
  /** Its process is there, but it does not answer as the daemon of this data directory should. */
  | { readonly state: 'unreachable'; readonly daemon: DaemonFile; readonly problem: string }
  /** It takes no new work; its runs may go on until then. */
  | { readonly state: 'stopping'; readonly daemon: DaemonFile; readonly until: number }
  /** It did not end in order: its file is there, its process is not. */
  | { readonly state: 'killed'; readonly daemon: DaemonFile }
  /** On another machine that shares the data directory: nobody here can know. */
  | { readonly state: 'elsewhere'; readonly daemon: DaemonFile }
  | { readonly state: 'none' }

export async function daemonState({ home }: Pick<Config, 'home'>): Promise<DaemonState> {
  const daemon = readDaemonFile(home)
  if (daemon === null) return { state: 'none' }
  const alive = isAlive(daemon)
  if (alive === null) return { state: 'elsewhere', daemon }
  if (!alive) return { state: 'killed', daemon }
  if (daemon.stopping) return { state: 'stopping', daemon, until: daemon.stopping.until }
  try {
    return { state: 'running', daemon, health: await healthOf(home, daemon) }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { state: 'unreachable', daemon, problem }
  }
}

async function healthOf(home: string, daemon: DaemonFile): Promise<Health> {
  const { createHttp } = await import('../../client/node-http.ts')
  const { readToken } = await import('../../daemon/process/token.ts')
  const { connectionTo } = await import('../open/open-daemon.ts')
  const token = readToken(home)
  if (token === null) throw new Error(`there is no token in ${home}`)
  const http = createHttp(connectionTo(daemon, token))
  return http.ask<Health>('GET', '/health')
}
