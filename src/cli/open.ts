// Opens Reprise for one verb and closes it whatever happens: through the daemon if one runs, else the store itself.
import { resolve } from 'node:path'
import type { Reprise } from '../api.ts'
import { type Config, loadConfig } from '../config/config.ts'
import type { Io } from './io.ts'
import { connectToDaemon } from './open-daemon.ts'

type Use<T> = (reprise: Reprise) => Promise<T>

export async function withReprise<T>(io: Io, use: Use<T>, cwd?: string): Promise<T> {
  const config = await loadConfig({ env: io.env, cwd: resolve(io.cwd, cwd ?? '.') })
  return closing((await connectToDaemon(config, io)) ?? (await openStore(config, io)), use)
}

/** For verbs that look at the store itself. Leases keep it and a daemon apart. */
export async function withStore<T>(io: Io, use: Use<T>, cwd?: string): Promise<T> {
  const config = await loadConfig({ env: io.env, cwd: resolve(io.cwd, cwd ?? '.') })
  return closing(await openStore(config, io), use)
}

async function openStore(config: Config, io: Io): Promise<Reprise> {
  const { openReprise } = await import('./open-reprise.ts')
  return openReprise(config, io)
}

async function closing<T>(reprise: Reprise, use: Use<T>): Promise<T> {
  try {
    return await use(reprise)
  } finally {
    await reprise.close()
  }
}
