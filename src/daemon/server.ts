// Starts and stops a daemon: it takes the lock first and releases it last; between, it opens the store, the app and the address.
import type { LocalReprise } from '../api.ts'
import type { LogLevel } from '../core/daemon-settings.ts'
import { thisProcess } from '../runner/real-world.ts'
import { createApp } from './app.ts'
import { Logins } from './browser/logins.ts'
import type { Tokens } from './caller.ts'
import { loginPath } from './contract/routes/routes.ts'
import { hostsOf, urlOf } from './process/address.ts'
import { type DaemonFile, removeDaemonFile, writeDaemonFile } from './process/daemon-file.ts'
import { type Listening, listen, listenOnSocket } from './process/listen.ts'
import { type DaemonLog, type LogTarget, openLog } from './process/log.ts'
import { doorway } from './process/request-gate.ts'
import { lockInstance } from './process/single-instance.ts'
import { socketPath } from './process/socket.ts'
import { tokensOnDisk } from './process/tokens-on-disk.ts'
import type { StopRequest } from './routes/stop.ts'

export type DaemonOptions = {
  /** The data directory. */
  readonly home: string
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  readonly logTo: LogTarget
  readonly logLevel?: LogLevel
  readonly version: string
  /** Where the store is, without a password. */
  readonly database?: string
  /** The daemon calls it when it holds the lock of the data directory, and closes the result. */
  readonly open: () => LocalReprise
  /** Called when somebody with the scope `admin` asks it to stop. Returns how long its runs may go on. */
  readonly onStopRequest?: StopRequest
}

export type Daemon = {
  readonly url: string
  readonly pid: number
  /** Creates an address that signs one browser in, once, within a minute. */
  invite(): string
  /** Running turns get `drainMs` to end, then they are interrupted; queued ones wait for the next start. */
  stop(options?: { readonly drainMs?: number }): Promise<void>
}

/** How long answers under way may take at a stop. */
const ANSWER_GRACE_MS = 2_000

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const undo: Undo[] = []
  try {
    return await start(options, undo)
  } catch (error) {
    await undoAll(undo)
    throw error
  }
}

type Undo = () => void | Promise<void>

async function start(options: DaemonOptions, undo: Undo[]): Promise<Daemon> {
  const { home, version, logTo } = options
  const lock = lockInstance(home)
  undo.push(lock.release)
  const tokens = tokensOnDisk(home)
  const log = openLog(home, options.logTo, options.logLevel)
  undo.push(log.close)
  const { host, pid, startTime } = thisProcess()
  undo.push(() => removeDaemonFile(home, { pid, startTime }))
  undo.push(logFaults(log, options.logTo))
  const reprise = options.open()
  let drainMs = 0
  undo.push(() => reprise.close({ drainMs }))
  // Opens the store, which ends or takes over what an earlier daemon left behind.
  await reprise.log.lastPosition()

  const closing = new AbortController()
  const logins = new Logins({ tokens })
  const { listening, url, socket } = await serve(options, {
    tokens,
    logins,
    reprise,
    log,
    closing: closing.signal,
  })
  undo.push(async () => {
    closing.abort()
    await Promise.all(listening.map(one => one.close(ANSWER_GRACE_MS)))
  })
  const process = { host, pid, startTime, startedAt: Date.now() }
  const database = options.database === undefined ? {} : { database: options.database }
  const file: DaemonFile = {
    ...process,
    ...database,
    url,
    socket,
    version,
    logTo,
    stopping: null,
  }
  writeDaemonFile(home, file)
  log.logger.info({ url, socket, version }, 'listening')
  return {
    url,
    pid,
    invite: () => `${url}${loginPath(logins.invite({}).code)}`,
    stop: async (how = {}) => {
      drainMs = how.drainMs ?? 0
      log.logger.info({ drainMs }, 'stopping')
      reprise.beginNothing()
      // Verbs and clients now open the store themselves; `reprise status` sees that the daemon is not gone yet.
      writeDaemonFile(home, { ...file, stopping: { until: Date.now() + drainMs } })
      await undoAll(undo)
    },
  }
}

type Parts = {
  readonly tokens: Tokens
  readonly logins: Logins
  readonly reprise: LocalReprise
  readonly log: DaemonLog
  readonly closing: AbortSignal
}

type Served = {
  readonly listening: readonly Pick<Listening, 'close'>[]
  readonly url: string
  readonly socket: string | null
}

async function serve(
  { home, host, port, version, onStopRequest }: DaemonOptions,
  { tokens, logins, reprise, log, closing }: Parts,
): Promise<Served> {
  const bound = { port }
  const extraHosts: string[] = []
  const app = createApp({
    reprise,
    tokens,
    logins,
    version,
    closing,
    extraHosts,
    port: () => bound.port,
    ...(onStopRequest && { onStopRequest }),
    onFault: error => log.logger.error({ err: error }, 'a request failed by our own fault'),
  })
  const fetch = doorway({
    answer: (request, env: object) => app.fetch(request, env),
    tokens,
    port: () => bound.port,
    closing,
    logger: log.logger,
  })
  const onPort = await listen(fetch, { host, port })
  bound.port = onPort.port
  extraHosts.push(...hostsOf(host, onPort.port))
  const socket = socketPath(home)
  const onSocket = socket === null ? [] : [await listenOnSocket(fetch, socket)]
  return { listening: [onPort, ...onSocket], url: urlOf(host, onPort.port), socket }
}

/** After an uncaught error the state is unknown: the process ends, and the next start recovers. */
function logFaults({ logger }: DaemonLog, logTo: LogTarget): Undo {
  const onFault = (error: unknown) => {
    logger.fatal({ err: error }, 'a fault nobody caught')
    // A person who started it in a terminal does not see the log.
    if (logTo === 'file') process.stderr.write(faultWords(error))
    process.exit(70)
  }
  process.on('uncaughtException', onFault)
  return () => {
    process.off('uncaughtException', onFault)
  }
}

/** Undoes all steps, newest first, also when one fails. */
async function undoAll(undo: Undo[]): Promise<void> {
  const errors: unknown[] = []
  for (let step = undo.pop(); step; step = undo.pop()) {
    try {
      await step()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

function faultWords(error: unknown): string {
  const [what] = String(error).split('\n')
  return `error: the daemon ended because of a fault of its own: ${what}\nhint: see \`reprise logs\`, start it again with \`reprise serve\`, and please report it\n`
}
