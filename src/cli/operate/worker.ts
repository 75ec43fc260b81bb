// reprise worker: a process without HTTP that only works on jobs, until a graceful stop.
import { resolve } from 'node:path'
import { type Config, loadConfig, projectSettings } from '../../config/config.ts'
import { homeDirectory } from '../../config/home.ts'
import type { LaneWorker } from '../../core/job/lane.ts'
import { VERSION } from '../../core/version.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { openReprise } from '../open/open-reprise.ts'
import type { Io } from '../start/io.ts'
import { printJson } from '../view/print.ts'
import { type StopRequests, stoppingWords, stopRequests } from './stop-requests.ts'

export type WorkerFlags = JsonFlag & {
  readonly concurrency?: number
  readonly label?: readonly string[]
  readonly sharedRoot?: readonly string[]
  readonly drain?: number
}

const DEFAULT_CONCURRENCY = 2

export async function worker(io: Io, flags: WorkerFlags): Promise<number> {
  // Listens before the start, so that an early signal is not lost.
  const stopping = stopRequests(io)
  try {
    return await workUntil(stopping, io, flags)
  } finally {
    stopping.end()
  }
}

async function workUntil(stopping: StopRequests, io: Io, flags: WorkerFlags): Promise<number> {
  // Jobs have many work dirs, so the settings of a project are read for each turn.
  const config = await loadConfig({ env: io.env, cwd: homeDirectory(io.env) })
  const concurrency = flags.concurrency ?? config.worker.concurrency ?? DEFAULT_CONCURRENCY
  const offer = offerOf(io, config, flags)
  const reprise = openReprise(config, io, {
    workers: concurrency,
    worker: offer,
    projectSettings: cwd => projectSettings(config, { env: io.env, cwd, version: VERSION }),
  })
  let drainMs = 0
  try {
    // Opens the store; the work begins.
    await reprise.workers()
    const about = { pid: process.pid, ...offer, concurrency }
    if (flags.json) printJson(io, about)
    io.stderr.write(`${wordsAbout(about)}\n`)
    drainMs = (await stopping.asked) ?? flags.drain ?? config.daemon.drainMs
    io.stderr.write(`${stoppingWords(drainMs)}\n`)
    return 0
  } finally {
    await reprise.close({ drainMs })
  }
}

function offerOf(io: Io, { host, worker: settings }: Config, flags: WorkerFlags): LaneWorker {
  return {
    host,
    labels: flags.label ?? settings.labels,
    sharedRoots: flags.sharedRoot?.map(root => resolve(io.cwd, root)) ?? settings.sharedRoots,
  }
}

type About = LaneWorker & { readonly pid: number; readonly concurrency: number }

function wordsAbout({ host, pid, concurrency, labels, sharedRoots }: About): string {
  const more = [
    ...(labels.length > 0 ? [`labels ${labels.join(', ')}`] : []),
    ...(sharedRoots.length > 0 ? [`shared ${sharedRoots.join(', ')}`] : []),
  ]
  const all = [`${concurrency} at a time`, ...more].join('; ')
  return `working on jobs as host ${host} (pid ${pid}): ${all}`
}
