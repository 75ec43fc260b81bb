// A world for tests of the daemon: the CLI's, and `reprise serve` as a real process that is started, stopped and killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { connectReprise } from '../../../src/client/connect.ts'
import { BIN, CliWorld, type Ended, ended } from '../cli/cli-world.ts'

export type DaemonProcess = {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly end: Promise<Ended>
  signal(name: NodeJS.Signals): void
}

export class ServeWorld extends CliWorld {
  readonly #daemons: ChildProcess[] = []

  /** With umask 000: whatever is private is so by its own doing. */
  startServe(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const command = ['exec "$@"', 'sh', process.execPath, BIN, 'serve', '--json', ...args]
    const child = spawn('/bin/sh', ['-c', `umask 000; ${command[0]}`, ...command.slice(1)], {
      cwd: this.workDir,
      env: { ...this.env, ...env },
    })
    child.stdin?.end()
    this.#daemons.push(child)
    return child
  }

  /** Port 0 is one that the system gives to nobody by itself: a daemon that was killed finds it free again. */
  async serve(
    args: readonly string[] = ['--port', '0'],
    env: Readonly<Record<string, string>> = {},
  ): Promise<DaemonProcess> {
    const at = args.indexOf('--port') + 1
    const given = args[at] === '0' ? args.with(at, String(await keptPort())) : args
    const child = this.startServe(given, env)
    const end = ended(child)
    const { url, pid } = await readiness(child, end)
    return { url, pid, port: Number(new URL(url).port), end, signal: name => child.kill(name) }
  }

  override get agentEnv(): Record<string, string> {
    return { ...super.agentEnv, FAKE_AGENT_JOURNAL: this.journal }
  }

  /** What the fake agent was asked, line by line. */
  get journal(): string {
    return this.path('journal.jsonl')
  }

  get token(): string {
    return readFileSync(join(this.home, 'token'), 'utf8').trim()
  }

  get log(): string {
    return readFileSync(join(this.home, 'logs', 'daemon.log'), 'utf8')
  }

  connect({ url }: Pick<DaemonProcess, 'url'>) {
    return connectReprise({ url, token: this.approveToken })
  }

  /** A request as any program would send it. */
  async request(url: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, ...init.headers }
    return fetch(new URL(path, url), { ...init, headers })
  }

  /** Processes of this world's agents that still live. */
  agentProcesses(): readonly number[] {
    const marker = `FAKE_AGENT_SCRIPT=${this.agentEnv.FAKE_AGENT_SCRIPT}`
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .filter(pid => environmentOf(pid).includes(marker))
      .map(Number)
  }

  async closeAll(): Promise<void> {
    for (const child of this.#daemons) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const gone = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    }
    await eventually(() => this.agentProcesses().length === 0)
    this.close()
  }
}

/** A world for each test of a file or a `describe`. */
export function useServeWorlds(take: (world: ServeWorld) => void): void {
  let world: ServeWorld
  beforeEach(async () => {
    world = (await new ServeWorld().open('with a store')) as ServeWorld
    take(world)
  })
  afterEach(() => world.closeAll())
}

/** One world with a daemon for all tests of a `describe`: each of them has threads of its own. */
export function useDaemon(take: (world: ServeWorld) => void): () => DaemonProcess {
  let world: ServeWorld
  let daemon: DaemonProcess
  beforeAll(async () => {
    world = (await new ServeWorld().open('with a store')) as ServeWorld
    take(world)
    daemon = await world.serve()
  })
  beforeEach(() => world.script([]))
  afterAll(() => world.closeAll())
  return () => daemon
}

async function readiness(child: ChildProcess, end: Promise<Ended>) {
  const line = new Promise<string>(resolve => child.stdout?.once('data', resolve))
  const first = await Promise.race([line, end])
  if (typeof first === 'object') throw new Error(`the daemon ended: ${JSON.stringify(first)}`)
  return JSON.parse(first) as { url: string; pid: number }
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return '' // Gone, or somebody else's.
  }
}

export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 5_000; tries++) {
    if (await isSo()) return
    await sleep(20)
  }
  throw new Error(`not within the time: ${isSo}`)
}

export function appears(path: string): Promise<void> {
  return eventually(() => existsSync(path))
}

const KEPT_PORTS = { from: 12_000, to: 32_000 } as const

async function keptPort(): Promise<number> {
  for (;;) {
    const { from, to } = KEPT_PORTS
    const port = from + Math.floor(Math.random() * (to - from))
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
