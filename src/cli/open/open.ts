// Opens Reprise for one verb and closes it whatever happens: through the daemon if one runs, else the store itself.
import { resolve } from 'node:path'
import type { Reprise } from '../../api.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import type { Io } from '../start/io.ts'
import { VERSION } from '../start/version.ts'
import type { Approver } from './approver.ts'
import { connectToDaemon } from './open-daemon.ts'

type Use<T> = (reprise: Reprise) => Promise<T>

export type Opening = {
  /** Whose config counts. */
  readonly cwd?: string | undefined
  /** Jobs that this process works on when no daemon does. */
  readonly workers?: number
  /**
   * What the verb does is for a person to decide (`must`), or may come to that (`may`); see approver.ts.
   */
  readonly decides?: 'must' | 'may'
}

export async function withReprise<T>(
  io: Io,
  use: Use<T>,
  { cwd, workers = 0, decides }: Opening = {},
): Promise<T> {
  const config = await configFor(io, cwd)
  const approver = decides && (await approverFor(io, decides))
  const daemon = await connectToDaemon(config, io, approver ?? null)
  if (daemon) return closing(daemon, use)
  if (decides === 'must' && approver?.kind === 'token') {
    const { checkApproveToken } = await import('./approver.ts')
    checkApproveToken(config.home, approver)
  }
  return closing(await openStore(config, io, workers), use)
}

async function approverFor(io: Io, decides: 'must' | 'may'): Promise<Approver | null> {
  const { approverOf, requireApprover } = await import('./approver.ts')
  return decides === 'must' ? requireApprover(io) : approverOf(io)
}

/** For verbs that look at the store itself. Leases keep it and a daemon apart. */
export async function withStore<T>(io: Io, use: Use<T>, cwd?: string): Promise<T> {
  const config = await configFor(io, cwd)
  return closing(await openStore(config, io, 0), use)
}

function configFor(io: Io, cwd: string | undefined): Promise<Config> {
  return loadConfig({ env: io.env, cwd: resolve(io.cwd, cwd ?? '.'), version: VERSION })
}

async function openStore(config: Config, io: Io, workers: number): Promise<Reprise> {
  const { openReprise } = await import('./open-reprise.ts')
  return openReprise(config, io, { workers })
}

async function closing<T>(reprise: Reprise, use: Use<T>): Promise<T> {
  try {
    return await use(reprise)
  } finally {
    await reprise.close()
  }
}
