// Opens Reprise for one verb and closes it whatever happens. The only file of the CLI that knows how it is put together.
import { resolve } from 'node:path'
import type { Reprise } from '../api.ts'
import { loadConfig } from '../config/config.ts'
import type { Io } from './io.ts'
import { VERSION } from './version.ts'

export async function withReprise<T>(
  io: Io,
  use: (reprise: Reprise) => Promise<T>,
  cwd?: string,
): Promise<T> {
  const source = { env: io.env, cwd: resolve(io.cwd, cwd ?? '.'), version: VERSION }
  const config = await loadConfig(source)
  const { openReprise } = await import('./open-reprise.ts')
  const reprise = openReprise(config, io)
  try {
    return await use(reprise)
  } finally {
    await reprise.close()
  }
}
