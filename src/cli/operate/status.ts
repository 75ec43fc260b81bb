// reprise status: whether the daemon runs, since when, and what there is to do.
import { type Config, loadConfig } from '../../config/config.ts'
import { durationWords } from '../../core/duration-words.ts'
import { logPath } from '../../daemon/process/log-path.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { hasStore } from '../open/has-store.ts'
import type { ExitCode } from '../start/exit-code.ts'
import { type Io, paint } from '../start/io.ts'
import { timesOf } from '../terminal/time.ts'
import { printJson, printLine } from '../view/print.ts'
import { sanitiseLine } from '../view/sanitise.ts'
import { type DaemonState, daemonState } from './daemon-state.ts'

type Work = {
  readonly runs: Readonly<Record<string, number>>
  readonly jobs: Readonly<Record<string, number>>
}

const EXITS: Readonly<Record<DaemonState['state'], ExitCode>> = {
  running: 0,
  stopping: 0,
  elsewhere: 0,
  none: 3,
  killed: 3,
  unreachable: 70,
}

export async function status(io: Io, flags: JsonFlag): Promise<number> {
  const config = await loadConfig({ env: io.env, cwd: io.cwd })
  const found = await daemonState(config)
  const work = await openWork(io, config)
  if (flags.json) printJson(io, jsonOf(found, work, config))
  else print(io, found, { work, config })
  return EXITS[found.state]
}

function jsonOf(found: DaemonState, work: Work, { home }: Config) {
  const daemon = 'daemon' in found ? found.daemon : null
  return {
    state: found.state,
    pid: daemon?.pid ?? null,
    url: daemon?.url ?? null,
    version: daemon?.version ?? null,
    startedAt: daemon?.startedAt ?? null,
    store: found.state === 'running' ? found.health.store : null,
    until: found.state === 'stopping' ? found.until : null,
    problem: found.state === 'unreachable' ? found.problem : null,
    home,
    log: daemon?.logTo === 'stderr' ? null : logPath(home),
    ...work,
  }
}

/** Counts what is open, in the store itself, so that it is known without a daemon, too. */
async function openWork(io: Io, config: Config): Promise<Work> {
  if (!(await hasStore(config))) return { runs: {}, jobs: {} }
  const { openReprise } = await import('../open/open-reprise.ts')
  const reprise = openReprise(config, io)
  try {
    const runs: Record<string, number> = { running: 0, waiting: 0, queued: 0 }
    for (const { status: state, runs: count } of await reprise.countRuns()) {
      if (state in runs) runs[state] = (runs[state] ?? 0) + count
    }
    const jobs: Record<string, number> = { running: 0, queued: 0, waiting: 0, parked: 0, dead: 0 }
    for (const { status: state, jobs: count } of await reprise.countJobs()) {
      if (state in jobs) jobs[state] = count
    }
    return { runs, jobs }
  } finally {
    await reprise.close()
  }
}

type Shown = { readonly work: Work; readonly config: Config }

function print(io: Io, found: DaemonState, { work, config }: Shown): void {
  const bold = paint(io, io.stdout, 'bold')
  printLine(io, `${bold('daemon')}    ${sanitiseLine(stateWords(found))}`)
  const hint = hintFor(found)
  if (hint !== null) printLine(io, `          → ${hint}`)
  if ('daemon' in found) {
    const { url, pid, version, startedAt, logTo } = found.daemon
    printLine(io, `address   ${url}`)
    printLine(io, `process   pid ${pid}, version ${version}, started ${timesOf(io).at(startedAt)}`)
    const log = logTo === 'stderr' ? 'its stderr (with systemd: journalctl)' : logPath(config.home)
    printLine(io, `log       ${log}`)
  }
  printLine(io, `data      ${config.home}`)
  for (const [name, counts] of Object.entries(work)) {
    const words = Object.entries(counts).filter(([, count]) => count > 0)
    const list = words.map(([state, count]) => `${count} ${state}`).join(', ') || 'none open'
    printLine(io, `${name.padEnd(10)}${list}`)
  }
}

function stateWords(found: DaemonState): string {
  switch (found.state) {
    case 'running': {
      const { uptimeMs, store } = found.health
      const store_ = store === 'ok' ? '' : `; its store is ${store}`
      return `running for ${durationWords(uptimeMs)}${store_}`
    }
    case 'stopping': {
      const left = Math.max(0, found.until - Date.now())
      return `stopping: it takes no new work, and its runs may go on for ${durationWords(left)}`
    }
    case 'unreachable':
      return `its process is there, but it does not answer: ${found.problem}`
    case 'killed':
      return `gone: pid ${found.daemon.pid} did not end in order`
    case 'elsewhere':
      return `on another machine: ${found.daemon.host}`
    case 'none':
      return 'none runs; verbs open the store themselves'
  }
}

function hintFor(found: DaemonState): string | null {
  switch (found.state) {
    case 'unreachable':
      return 'look at `reprise logs`; `reprise stop` ends it'
    case 'killed':
      return 'start it again with `reprise serve`: it goes on with what was taken on'
    case 'none':
      return 'start one with `reprise serve`; jobs and schedules need it'
    default:
      return null
  }
}
