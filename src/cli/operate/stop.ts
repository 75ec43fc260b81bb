// reprise stop: asks the daemon to stop, over HTTP or else by a signal, and waits until its process is gone.
import { loadConfig } from '../../config/config.ts'
import { durationWords } from '../../core/duration-words.ts'
import type { Stopping } from '../../daemon/contract/report.ts'
import type { DaemonFile } from '../../daemon/process/daemon-file.ts'
import { RepriseError } from '../../errors.ts'
import { isAlive } from '../../runner/real-world.ts'
import type { JsonFlag } from '../flags/flags.ts'
import type { Io } from '../start/io.ts'
import { printJson, printLine } from '../view/print.ts'
import { type DaemonState, daemonState } from './daemon-state.ts'

export type StopFlags = JsonFlag & { readonly drain?: number; readonly now?: true }

/** After the drain, runs get this long to be interrupted and recorded. */
const GRACE_MS = 30_000
const LOOK_EVERY_MS = 100

export async function stop(io: Io, flags: StopFlags): Promise<number> {
  const { home } = await loadConfig({ env: io.env, cwd: io.cwd })
  const found = await daemonState({ home })
  if (found.state === 'none' || found.state === 'killed') {
    const hint = 'Run `reprise status` to see what is known of it.'
    throw new RepriseError('not-found', `no daemon of the data directory ${home} runs`, hint)
  }
  if (found.state === 'elsewhere') {
    const what = `the daemon runs on ${found.daemon.host}, not on this machine`
    throw new RepriseError('conflict', what, `Run \`reprise stop\` on ${found.daemon.host}.`)
  }
  const isStopping = found.state === 'stopping'
  const until = isStopping && flags.now ? Date.now() : await ask(home, found, flags)
  await untilGone(io, found.daemon, { until, hurry: isStopping && flags.now === true })
  if (flags.json) printJson(io, { stopped: true, pid: found.daemon.pid })
  else printLine(io, `the daemon (pid ${found.daemon.pid}) has stopped`)
  return 0
}

type Found = Exclude<DaemonState, { readonly state: 'none' | 'killed' | 'elsewhere' }>

/** Gives the time until which its runs may go on. */
async function ask(home: string, found: Found, { drain, now }: StopFlags): Promise<number> {
  const { daemon } = found
  if (found.state === 'stopping') return found.until
  const drainMs = now ? 0 : drain
  if (found.state === 'running') {
    const { createHttp } = await import('../../client/node-http.ts')
    const { readToken } = await import('../../daemon/process/token.ts')
    const { connectionTo } = await import('../open/open-daemon.ts')
    const http = createHttp(connectionTo(daemon, readToken(home) ?? ''))
    const body = drainMs === undefined ? {} : { drainMs }
    const stopping = await http.ask<Stopping>('POST', '/api/stop', { body })
    return Date.now() + stopping.drainMs
  }
  // It does not answer: a signal needs no answer. It then drains for as long as `--drain` of `reprise serve` says.
  signal(daemon.pid)
  return Date.now()
}

type Wait = {
  /** When its runs have to end. */
  readonly until: number
  /** Signals it again and again: it takes signals that come close together for one request. */
  readonly hurry: boolean
}

async function untilGone(io: Io, daemon: DaemonFile, { until, hurry }: Wait): Promise<void> {
  const left = new AbortController()
  const end = io.onStopRequest(() => left.abort())
  try {
    while (isAlive(daemon) === true) {
      if (left.signal.aborted) {
        const hint =
          'Run `reprise status` to see how far it is, `reprise stop --now` to end it at once.'
        throw new RepriseError('cancelled', 'the daemon goes on stopping by itself', hint)
      }
      const msLeft = until - Date.now()
      if (msLeft < -GRACE_MS) {
        const hint = `End it with \`kill -9 ${daemon.pid}\`: the next \`reprise serve\` goes on with its work.`
        throw new RepriseError('daemon-unreachable', `pid ${daemon.pid} does not end`, hint)
      }
      const text =
        msLeft > 0
          ? `the daemon takes no new work; its runs may go on for ${durationWords(msLeft)}`
          : 'the daemon interrupts its runs and ends'
      io.line?.show([{ text, look: 'dim' }])
      if (hurry) signal(daemon.pid)
      await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
    }
  } finally {
    end()
    io.line?.clear()
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It has ended since the last look.
  }
}
