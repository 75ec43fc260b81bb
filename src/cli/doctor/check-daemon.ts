// Checks the daemon: its token, its file, and whether it can prove that it knows the token.
import { connectReprise } from '../../client/connect.ts'
import { readDaemonFile } from '../../daemon/process/daemon-file.ts'
import { readToken, tokenPath } from '../../daemon/process/token.ts'
import { isAlive } from '../../runner/real-world.ts'
import { connectionTo } from '../open/open-daemon.ts'
import { type Diagnosis, ok } from './finding.ts'

export function checkToken(home: string): Diagnosis {
  const token = readToken(home)
  if (token !== null) return ok('token', `${tokenPath(home)}, for you alone`)
  return ok('token', 'none yet; made when the daemon starts')
}

export async function checkDaemon(home: string): Promise<Diagnosis> {
  const check = 'daemon'
  const daemon = readDaemonFile(home)
  if (daemon === null) return ok(check, 'none runs; verbs open the store themselves')
  if (isAlive(daemon) !== true) {
    const detail = `daemon.json names pid ${daemon.pid}, which is gone: it did not end in order`
    const hint = 'start it again with `reprise serve`: what it had taken on will be run'
    return { check, state: 'warn', detail, hint }
  }
  if (daemon.stopping !== null) {
    return ok(check, `none runs; the last one (pid ${daemon.pid}) lets its runs end`)
  }
  const token = readToken(home)
  if (token === null) {
    const detail = `a daemon runs at ${daemon.url}, but the token is gone`
    return {
      check,
      state: 'bad',
      detail,
      hint: `stop it with \`reprise stop\` and start it again with \`reprise serve\``,
    }
  }
  await connectReprise({ url: daemon.url, token }).connected()
  await connectReprise(connectionTo(daemon, token)).connected()
  return ok(check, `${daemon.version} at ${daemon.url} (pid ${daemon.pid})`)
}
