// Opens Reprise for one verb and always closes it: through the daemon if one runs, else on the store itself.
import { resolve } from 'node:path'
import type { Reprise } from '../../api.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { traceFromVariables } from '../../core/trace/trace-context.ts'
import { VERSION } from '../../core/version.ts'
import type { WarmSettings } from '../../core/warm/warm-settings.ts'
import type { Io } from '../start/io.ts'
import type { Approver } from './approver.ts'
import { connectToDaemon } from './open-daemon.ts'

type Use<T> = (reprise: Reprise) => Promise<T>

export type Opening = {
  /** The directory whose project config is used. */
  readonly cwd?: string | undefined
  /** How many jobs this process works on at a time when there is no daemon. */
  readonly workers?: number
  /**
   * The verb always needs a person's decision (`must`), or may need one (`may`); see approver.ts.
   */
  readonly decides?: 'must' | 'may'
  /** The verb lives for several turns: it keeps agent processes between them. Default: it keeps none. */
  readonly keepsProcesses?: true
}

export async function withReprise<T>(
  io: Io,
  use: Use<T>,
  { cwd, workers = 0, decides, keepsProcesses }: Opening = {},
): Promise<T> {
  const config = await configFor(io, cwd)
  const approver = decides && (await approverFor(io, decides))
  const daemon = await connectToDaemon(config, io, approver ?? null)
  if (daemon) return closing(daemon, use)
  if (decides === 'must' && approver?.kind === 'token') {
    const { checkApproveToken } = await import('./approver.ts')
    checkApproveToken(config.home, approver)
  }
  const warm = keepsProcesses && config.warm
  return closing(await openStore(config, io, { workers, ...(warm && { warm }) }), use)
}

async function approverFor(io: Io, decides: 'must' | 'may'): Promise<Approver | null> {
  const { approverOf, requireApprover } = await import('./approver.ts')
  return decides === 'must' ? requireApprover(io) : approverOf(io)
}

/** For verbs that read the store directly. They may run beside a daemon, because leases separate them. */
export async function withStore<T>(io: Io, use: Use<T>, cwd?: string): Promise<T> {
  const config = await configFor(io, cwd)
  return closing(await openStore(config, io, { workers: 0 }), use)
}

function configFor(io: Io, cwd: string | undefined): Promise<Config> {
  return loadConfig({ env: io.env, cwd: resolve(io.cwd, cwd ?? '.'), version: VERSION })
}

async function openStore(
  config: Config,
  io: Io,
  more: { readonly workers: number; readonly warm?: WarmSettings },
): Promise<Reprise> {
  const { openReprise } = await import('./open-reprise.ts')
  const parent = traceFromVariables(io.env)
  const telemetry = config.telemetry && { ...config.telemetry, ...(parent && { parent }) }
  return openReprise(config, io, { ...more, ...(telemetry && { telemetry }) })
}

async function closing<T>(reprise: Reprise, use: Use<T>): Promise<T> {
  try {
    return await use(reprise)
  } finally {
    await reprise.close()
  }
}
