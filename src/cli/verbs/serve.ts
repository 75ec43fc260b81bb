// reprise serve: runs the daemon until a graceful stop.
import { loadConfig, projectSettings } from '../../config/config.ts'
import { homeDirectory } from '../../config/home.ts'
import type { LogLevel } from '../../core/daemon-settings.ts'
import { VERSION } from '../../core/version.ts'
import { type Address, addressOf } from '../../daemon/process/address.ts'
import { tokenPath } from '../../daemon/process/token.ts'
import { type Daemon, startDaemon } from '../../daemon/server.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { openReprise } from '../open/open-reprise.ts'
import { type StopRequests, stoppingWords, stopRequests } from '../operate/stop-requests.ts'
import type { Io } from '../start/io.ts'
import { printJson } from '../view/print.ts'

export type ServeFlags = JsonFlag & {
  readonly port: number
  readonly host?: string
  readonly listen?: string
  readonly drain?: number
  readonly workers: number
  readonly log: 'file' | 'stderr'
  readonly logLevel?: LogLevel
}

export async function serve(io: Io, flags: ServeFlags): Promise<number> {
  const address = addressOf(flags)
  // Listen before the start: a user may stop the daemon as soon as its file exists.
  const stopping = stopRequests(io)
  try {
    return await serveUntil(stopping, io, { ...flags, ...address })
  } finally {
    stopping.end()
  }
}

async function serveUntil(
  stopping: StopRequests,
  io: Io,
  flags: ServeFlags & Address,
): Promise<number> {
  // The daemon serves many projects, so it reads the settings of a project for each turn.
  const config = await loadConfig({ env: io.env, cwd: homeDirectory(io.env) })
  const drainMs = flags.drain ?? config.daemon.drainMs
  const ofProject = (cwd: string) => projectSettings(config, { env: io.env, cwd, version: VERSION })
  const daemon = await startDaemon({
    home: config.home,
    host: flags.host,
    port: flags.port,
    logTo: flags.log,
    logLevel: flags.logLevel ?? config.daemon.logLevel,
    onStopRequest: (wantedMs = drainMs) => {
      stopping.ask(wantedMs)
      return wantedMs
    },
    version: VERSION,
    database: config.database.place,
    open: () =>
      openReprise(config, io, {
        keepQueue: true,
        workers: flags.workers,
        projectSettings: ofProject,
        warm: config.warm,
      }),
  })
  if (!flags.isLoopback) warnOfOthers(io, daemon)
  printAddresses(io, daemon, { home: config.home, flags })
  const wantedMs = (await stopping.asked) ?? drainMs
  io.stderr.write(`${stoppingWords(wantedMs)}\n`)
  await daemon.stop({ drainMs: wantedMs })
  return 0
}

function printAddresses(
  io: Io,
  daemon: Daemon,
  { home, flags }: { readonly home: string; readonly flags: ServeFlags },
): void {
  const { url, pid } = daemon
  io.stderr.write(`listening on ${url} (pid ${pid})\n`)
  io.stderr.write(`token: cat ${tokenPath(home)}\n`)
  io.stderr.write(`api: ${url}/openapi.json\n`)
  io.stderr.write(`browser: ${daemon.invite()} (once, within a minute; again: reprise login)\n`)
  if (flags.json) printJson(io, { url, pid })
}

function warnOfOthers(io: Io, { url }: Daemon): void {
  io.stderr.write(
    `warning: ${url} can be reached by other machines, and what they send is not encrypted: the token can be read on the way\n`,
  )
}
