// reprise login: asks the daemon for an address that signs a browser in.
import { createHttp } from '../../client/node-http.ts'
import { loadConfig } from '../../config/config.ts'
import type { BrowserScope } from '../../daemon/contract/scope.ts'
import { findDaemon } from '../../daemon/process/find-daemon.ts'
import { readToken } from '../../daemon/process/token.ts'
import { RepriseError } from '../../errors.ts'
import { isAlive } from '../../runner/real-world.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { approverOf, tokenOf } from '../open/approver.ts'
import { openBrowser } from '../open/open-browser.ts'
import { connectionTo } from '../open/open-daemon.ts'
import type { Io } from '../start/io.ts'
import { printJson, printLine } from '../view/print.ts'

type Invitation = { readonly path: string; readonly expiresAt: number }

export type LoginFlags = JsonFlag & {
  readonly open?: boolean
  readonly scope?: readonly BrowserScope[]
}

export async function login(io: Io, flags: LoginFlags): Promise<number> {
  const { home } = await loadConfig({ env: io.env, cwd: io.cwd })
  const daemon = findDaemon(home, isAlive)
  if (!daemon) {
    const what = `no daemon of the data directory ${home} runs`
    throw new RepriseError('daemon-unreachable', what, 'start one with `reprise serve`')
  }
  const shown = tokenToShow(io, home)
  const { path, expiresAt } = await createHttp(connectionTo(daemon, shown.token))
    .ask<Invitation>('POST', '/api/logins', {
      body: { ...(flags.scope && { scopes: flags.scope }) },
    })
    .finally(shown.release)
  const url = new URL(path, daemon.url).href
  if (flags.open && (await openBrowser(io, url))) return 0
  if (flags.open) {
    io.stderr.write('no browser was found (xdg-open or open); visit this address yourself:\n')
  }
  if (flags.json) printJson(io, { url, expiresAt })
  else printLine(io, url)
  return 0
}

/** A browser that was signed in without a terminal can do everything except approve or continue chains. */
function tokenToShow(io: Io, home: string): ReturnType<typeof tokenOf> {
  const approver = approverOf(io)
  // Not the token of the environment: it may lack the scope for a login.
  if (approver?.kind === 'terminal') return tokenOf(home, approver)
  const token = readToken(home)
  if (token !== null) return { token, release: () => {} }
  throw new RepriseError(
    'daemon-unreachable',
    `there is no token in ${home}`,
    'Start `reprise serve`.',
  )
}
