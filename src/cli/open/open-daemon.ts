// Connects to the daemon of the data directory if its process is alive and proves that it knows the token.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Reprise } from '../../api.ts'
import type { ConnectOptions } from '../../client/node-http.ts'
import type { Config } from '../../config/config.ts'
import { isPostgresUrl } from '../../core/database-url.ts'
import { traceFromVariables } from '../../core/trace/trace-context.ts'
import type { DaemonFile } from '../../daemon/process/daemon-file.ts'
import type { Io } from '../start/io.ts'
import type { Approver } from './approver.ts'

/** `null`: the verb opens the store itself. Without a daemon, the client is not even loaded. */
export async function connectToDaemon(
  config: Config,
  io: Io,
  approver: Approver | null = null,
): Promise<Reprise | null> {
  if (!existsSync(join(config.home, 'daemon.json'))) return null
  if (isUnwanted(io) || hasOwnSettings(io)) return null
  const { isAlive } = await import('../../runner/real-world.ts')
  const { findDaemon } = await import('../../daemon/process/find-daemon.ts')
  const daemon = findDaemon(config.home, isAlive)
  if (daemon === null) return null
  if (usesAnother(daemon, config)) {
    const place = daemon.database ?? 'its data directory'
    io.stderr.write(
      `warning: the daemon stores in ${place}, and this shell chooses ${config.database.place}; going on without the daemon\n`,
    )
    return null
  }
  const { connectReprise } = await import('../../client/connect.ts')
  let release = () => {}
  try {
    const shown = await tokenToShow(config, io, approver)
    if (shown === null) return null
    release = shown.release
    const trace = traceFromVariables(io.env)
    const reprise = connectReprise({
      ...connectionTo(daemon, shown.token),
      ...(trace && { trace }),
      // Also without a terminal: a log must show what took so long.
      onAway: ({ text }) => io.stderr.write(`${text}\n`),
    })
    await reprise.connected()
    return { ...reprise, close: () => reprise.close().finally(release) }
  } catch (error) {
    release()
    const why = error instanceof Error ? error.message : String(error)
    io.stderr.write(`warning: ${why}; going on without the daemon (see \`reprise doctor\`)\n`)
    return null
  }
}

async function tokenToShow({ home }: Config, { env }: Io, approver: Approver | null) {
  if (approver) return (await import('./approver.ts')).tokenOf(home, approver)
  const { readToken } = await import('../../daemon/process/token.ts')
  const token = env.REPRISE_TOKEN || readToken(home)
  return token === null ? null : { token, release: () => {} }
}

/** Two paths of a file may lead to the same place; the daemon of a data directory uses the file in it. */
function usesAnother({ database = '' }: DaemonFile, config: Config): boolean {
  const isOnServer = config.database.kind === 'postgres' || isPostgresUrl(database)
  return isOnServer && database !== config.database.place
}

/** Uses the socket only if it still exists: somebody may have removed it. */
export function connectionTo({ url, socket }: DaemonFile, token: string): ConnectOptions {
  return { url, token, ...(socket !== null && existsSync(socket) && { socket }) }
}

function isUnwanted({ env }: Io): boolean {
  return env.REPRISE_NO_DAEMON !== undefined && !['', '0'].includes(env.REPRISE_NO_DAEMON)
}

/** Does this shell have resume settings? The daemon would not know them. */
function hasOwnSettings({ env }: Io): boolean {
  return Object.keys(env).some(name => name.startsWith('REPRISE_RESUME_'))
}
