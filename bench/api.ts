// What the daemon costs: lists, submits and events per second against bare node:http, its memory, and how soon an agent starts.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Reprise, Thread, Turn } from '../src/api.ts'
import { connectReprise } from '../src/client/connect.ts'
import { builtFakeAgent } from '../test/fake-agent.ts'
import { median, numberFlag, print } from './measure.ts'

const ROUNDS = numberFlag('rounds', 5)
const LISTS = numberFlag('lists', 100)
const SUBMITS = numberFlag('submits', 30)
const THREADS = 200
const EVENTS = numberFlag('events', 2_000)
const SPAWNS = numberFlag('spawns', 20)
const RUNS = [0, 10, ...(numberFlag('runs', 10) > 10 ? [numberFlag('runs', 10)] : [])]
const STARTED_WITHIN_MS = 120_000
const CLI = fileURLToPath(new URL('../bin/reprise.js', import.meta.url))
const BARE = fileURLToPath(new URL('bare-api.ts', import.meta.url))

/** Two events: the call and its result. Pieces of text would be stored together. */
const TOOL = { type: 'tool', name: 'Read', input: { path: 'a.ts' }, result: 'x'.repeat(200) }

type Server = { readonly name: string; readonly url: string; readonly token: string }

const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-bench-')))
const home = join(root, 'home')
const workDir = join(root, 'project')
const spawned = join(root, 'spawned')
const children: ChildProcess[] = []
try {
  await main()
} finally {
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(
    children.map(child => child.exitCode ?? new Promise(r => child.once('exit', r))),
  )
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}

async function main(): Promise<void> {
  await prepare()
  const { url, pid } = JSON.parse(await start([CLI, 'serve', '--port', '0', '--json'])) as {
    url: string
    pid: number
  }
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  const reprise = connectReprise({ url, token })
  await measureMemory(reprise, pid)
  await measureSpawn(reprise)
  const long = await longRun(reprise)
  const threads = Array.from({ length: THREADS }, () => reprise.threads.create({ workDir }))
  await Promise.all(threads)
  const busy = await busyThread(reprise)
  cpSync(join(home, 'reprise.db'), join(root, 'bare.db'))
  cpSync(join(home, 'reprise.db-wal'), join(root, 'bare.db-wal'))
  const port = (await start([BARE, join(root, 'bare.db'), token])).trim()
  const daemon = { name: 'daemon', url, token }
  const bare = { name: 'bare node:http', url: `http://127.0.0.1:${port}`, token }
  await compare(`lists of 50 of ${THREADS} threads`, [daemon, bare], server => lists(server))
  await compare(`events of a run of ${EVENTS}`, [daemon, bare], server => events(server, long))
  await compare('submits to a busy thread', [daemon, bare], server => submits(server, busy.id))
  await reprise.close()
}

/** A wrapper notes when it is started for a turn, before it becomes the fake agent. */
async function prepare(): Promise<void> {
  mkdirSync(home, { mode: 0o700 })
  mkdirSync(workDir)
  const agent = await builtFakeAgent(root)
  const executable = join(root, 'noted-claude')
  const note = `case " $* " in *" -p "*|*" --print "*) date +%s%N >> '${spawned}';; esac`
  writeFileSync(executable, `#!/bin/sh\n${note}\nexec '${agent}' "$@"\n`)
  chmodSync(executable, 0o755)
  const script = join(root, 'script.json')
  const steps = [
    { when: 'hang', do: [{ type: 'text', text: 'so far' }, { type: 'hang' }] },
    { when: 'many events', do: Array.from({ length: EVENTS / 2 }, () => TOOL) },
  ]
  writeFileSync(script, JSON.stringify(steps))
  const env = { FAKE_AGENT_SCRIPT: script, CLAUDE_CONFIG_DIR: join(root, 'agent') }
  const config = { agents: { 'claude-code': { executable, env } } }
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 })
}

/** Gives its first line. */
async function start(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: workDir,
    env: { PATH: process.env.PATH, HOME: root, REPRISE_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve)
    child.once('exit', code => reject(new Error(`${args[0]} ended with ${code}`)))
  })
}

async function measureMemory(reprise: Reprise, pid: number): Promise<void> {
  process.stdout.write('\nmemory of the daemon\n')
  const going: Turn[] = []
  for (const count of RUNS) {
    while (going.length < count) {
      const thread = await reprise.threads.create({ workDir })
      going.push(thread.send('hang'))
    }
    const running = await waitForRuns(reprise, count)
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
    print(`  ${running} runs`, `${(kilobytes / 1024).toFixed(0)} MB`)
  }
  await Promise.all(going.map(turn => turn.cancel()))
}

/** Gives how many there are: on a slow machine fewer than wanted may start in time. */
async function waitForRuns(reprise: Reprise, count: number): Promise<number> {
  const until = performance.now() + STARTED_WITHIN_MS
  for (;;) {
    const { length } = await reprise.runs.list({ status: 'running', limit: 1_000 })
    if (length >= count || performance.now() > until) return length
    await sleep(200)
  }
}

async function measureSpawn(reprise: Reprise): Promise<void> {
  const elapsed: number[] = []
  for (let turn = 0; turn < SPAWNS; turn += 1) {
    const thread = await reprise.threads.create({ workDir })
    rmSync(spawned, { force: true })
    const before = performance.timeOrigin + performance.now()
    await thread.send('hello').result
    elapsed.push(Number(readFileSync(spawned, 'utf8').trim()) / 1e6 - before)
  }
  const sorted = elapsed.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
  process.stdout.write(
    '\nfrom POST turns to the start of the agent (with a shell and `date` in it)\n',
  )
  print(`  ${SPAWNS} turns`, `p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms`)
}

async function longRun(reprise: Reprise): Promise<string> {
  const thread = await reprise.threads.create({ workDir })
  const { run } = await thread.send('many events').result
  return run.id
}

/** What is sent to it waits in the queue: only the submission itself is measured. */
async function busyThread(reprise: Reprise): Promise<Thread> {
  const thread = await reprise.threads.create({ workDir })
  const { runId } = await thread.send('hang').submitted
  while ((await reprise.runs.get(runId)).status !== 'running') await sleep(50)
  return thread
}

type Measure = (server: Server) => Promise<number>

/** Interleaved rounds; the first only warms up. Prints how many a second, and the ratio. */
async function compare(
  what: string,
  servers: readonly [Server, Server],
  measure: Measure,
): Promise<void> {
  const rates = new Map<string, number[]>(servers.map(({ name }) => [name, []]))
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      const rate = await measure(server)
      if (round > 0) rates.get(server.name)?.push(rate)
    }
  }
  process.stdout.write(`\n${what}\n`)
  for (const [name, values] of rates) print(`  ${name}`, `${median(values).toFixed(0)}/s`)
  const [ours, theirs] = servers.map(({ name }) => median(rates.get(name) ?? []))
  print('  ratio', `${((ours ?? 0) / (theirs ?? 1)).toFixed(2)}`)
}

async function lists(server: Server): Promise<number> {
  return rateOf(LISTS, async connections => {
    await times(LISTS, 4, () => ask(server, connections, { path: '/api/threads' }))
  })
}

async function events(server: Server, runId: string): Promise<number> {
  let delivered = 0
  const rate = await rateOf(1, async connections => {
    await times(10, 10, async () => {
      const path = `/api/runs/${runId}/events`
      const text = await ask(server, connections, { path, accept: 'text/event-stream' })
      delivered += text.split('\ndata: ').length - 1
    })
  })
  if (delivered < 10 * EVENTS) throw new Error(`${delivered} events were delivered`)
  return rate * delivered
}

async function submits(server: Server, threadId: string): Promise<number> {
  return rateOf(SUBMITS, async connections => {
    const path = `/api/threads/${threadId}/turns`
    await times(SUBMITS, 4, () => ask(server, connections, { path, body: { prompt: 'next' } }))
  })
}

async function rateOf(count: number, work: (connections: Agent) => Promise<void>): Promise<number> {
  const connections = new Agent({ keepAlive: true })
  const before = performance.now()
  await work(connections)
  const seconds = (performance.now() - before) / 1_000
  connections.destroy()
  return count / seconds
}

async function times(count: number, atOnce: number, work: () => Promise<unknown>): Promise<void> {
  let left = count
  const lane = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

type Asked = { readonly path: string; readonly accept?: string; readonly body?: unknown }

function ask(server: Server, agent: Agent, { path, accept, body }: Asked): Promise<string> {
  const headers = {
    authorization: `Bearer ${server.token}`,
    ...(accept && { accept }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const method = body === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, server.url), { agent, method, headers }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', piece => {
        text += piece
      })
      response.on('end', () => {
        if ((response.statusCode ?? 500) < 300) resolve(text)
        else reject(new Error(`${server.name} ${path}: ${response.statusCode} ${text}`))
      })
    })
    asked.on('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
