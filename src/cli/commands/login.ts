// reprise login: an address for a browser, from the daemon that runs.
import { createHttp } from '../../client/http.ts'
import { loadConfig } from '../../config/config.ts'
import { findDaemon } from '../../daemon/life/find-daemon.ts'
import { readToken } from '../../daemon/life/token.ts'
import { RepriseError } from '../../errors.ts'
import { isAlive } from '../../runner/real-world.ts'
import type { JsonFlag } from '../flags.ts'
import type { Io } from '../io.ts'
import { connectionTo } from '../open-daemon.ts'
import { printJson, printLine } from '../print.ts'

type Invitation = { readonly path: string; readonly expiresAt: number }

export async function login(io: Io, flags: JsonFlag): Promise<number> {
  const { home } = await loadConfig({ env: io.env, cwd: io.cwd })
  const daemon = findDaemon(home, isAlive)
  const token = daemon && readToken(home)
  if (!daemon || token === null) {
    const what = `no daemon of the data directory ${home} runs`
    throw new RepriseError('daemon-unreachable', what, 'start one with `reprise serve`')
  }
  const http = createHttp(connectionTo(daemon, token))
  const { path, expiresAt } = await http.ask<Invitation>('POST', '/api/logins', { body: {} })
  const url = new URL(path, daemon.url).href
  if (flags.json) printJson(io, { url, expiresAt })
  else printLine(io, url)
  return 0
}
