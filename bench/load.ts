// Many turns at once through the daemon: how soon each is acknowledged, how soon /health answers meanwhile, how many agents live at a time.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { builtFakeAgent } from '../test/fake-agent.ts'
import { numberFlag, print } from './measure.ts'

const TURNS = numberFlag('turns', 1_000)
const MAX_RUNNING = numberFlag('running', 0)
/** Turns of one thread wait for each other; of several threads only for a place. */
const THREADS = numberFlag('threads', TURNS)
/** How long /health is asked after the last acknowledgement. */
const WATCHED_MS = numberFlag('watched-ms', 10_000)
const HEALTH_EVERY_MS = 50
const HEALTH_TARGET_MS = 1_000
const CLI = fileURLToPath(new URL('../bin/reprise.js', import.meta.url))

const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-bench-')))
const home = join(root, 'home')
const workDir = join(root, 'project')
const children: ChildProcess[] = []
try {
  await main()
} finally {
  for (const child of children) {
    child.kill('SIGTERM')
    if (child.exitCode === null) await new Promise(resolve => child.once('exit', resolve))
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}

async function main(): Promise<void> {
  const { url, pid } = await startDaemon()
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  const connections = new Agent()
  const ask = (path: string, body?: unknown) => askAt(url, { token, connections, path, body })
  const threads: string[] = []
  for (let at = 0; at < THREADS; at += 1) {
    threads.push(JSON.parse(await ask('/api/threads', { workDir })).id)
  }
  const over = new AbortController()
  const watched = watch(() => ask('/health'), { pid, signal: over.signal })
  const begun = performance.now()
  const acknowledged = await Promise.all(
    Array.from({ length: TURNS }, async (_, at) => {
      await ask(`/api/threads/${threads[at % THREADS]}/turns`, { prompt: `turn ${at}` })
      return performance.now() - begun
    }),
  )
  await sleep(WATCHED_MS)
  const metrics = await ask('/metrics')
  over.abort()
  const { healthMs, mostAgents } = await watched
  process.stdout.write(`\n${TURNS} turns at once on ${THREADS} threads\n`)
  print('  acknowledged after', spread(acknowledged))
  print('  /health answered within', spread(healthMs))
  print('  agents alive at a time, at most', String(mostAgents))
  print('  still waiting then', waitingIn(metrics))
  connections.destroy()
  if (Math.max(...healthMs) > HEALTH_TARGET_MS) process.exitCode = 1
}

async function startDaemon(): Promise<{ url: string; pid: number }> {
  mkdirSync(home, { mode: 0o700 })
  mkdirSync(workDir)
  const executable = await builtFakeAgent(root)
  const env = { CLAUDE_CONFIG_DIR: join(root, 'agent') }
  const config = {
    agents: { 'claude-code': { executable, env } },
    ...(MAX_RUNNING > 0 && { maxRunning: MAX_RUNNING }),
  }
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 })
  const flags = (process.env.NODE_FLAGS ?? '').split(' ').filter(Boolean)
  const child = spawn(process.execPath, [...flags, CLI, 'serve', '--port', '0', '--json'], {
    cwd: workDir,
    env: { PATH: process.env.PATH, HOME: root, REPRISE_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve)
    child.once('exit', code => reject(new Error(`the daemon ended with ${code}`)))
  })
  return JSON.parse(line) as { url: string; pid: number }
}

type Watched = { readonly healthMs: readonly number[]; readonly mostAgents: number }

async function watch(
  health: () => Promise<string>,
  { pid, signal }: { readonly pid: number; readonly signal: AbortSignal },
): Promise<Watched> {
  const healthMs: number[] = []
  let mostAgents = 0
  while (!signal.aborted) {
    const before = performance.now()
    await health()
    healthMs.push(performance.now() - before)
    mostAgents = Math.max(mostAgents, agentsOf(pid))
    await sleep(HEALTH_EVERY_MS)
  }
  return { healthMs, mostAgents }
}

/** Children of the daemon that are agents: its watcher is a shell. */
function agentsOf(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.split(' ').filter(child => child !== '' && isAgent(child)).length
  } catch {
    return 0
  }
}

function isAgent(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('fake-')
  } catch {
    return false // It has ended meanwhile.
  }
}

function waitingIn(metrics: string): string {
  return /^reprise_runs\{status="queued".* (\d+)$/m.exec(metrics)?.[1] ?? '0'
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
  const ms = (value: number) => `${value.toFixed(0)} ms`
  return `p50 ${ms(at(0.5))}, p99 ${ms(at(0.99))}, at most ${ms(at(1))}`
}

type Asked = {
  readonly token: string
  readonly connections: Agent
  readonly path: string
  readonly body?: unknown
}

function askAt(url: string, { token, connections, path, body }: Asked): Promise<string> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const method = body === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), { agent: connections, method, headers }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', piece => {
        text += piece
      })
      response.on('end', () => {
        if ((response.statusCode ?? 500) < 300) resolve(text)
        else reject(new Error(`${path}: ${response.statusCode} ${text}`))
      })
    })
    asked.on('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
