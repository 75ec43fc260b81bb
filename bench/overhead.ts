// What Reprise adds to a turn: the same one through the library, through the CLI, through the CLI and a daemon, and by the bare
// agent; and what a start costs.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentEnvironment } from '../src/flows/agents/environment.ts'
import {
  type AgentConfig,
  claudeCode,
  createReprise,
  type Reprise,
  type Runtime,
  sqlite,
} from '../src/index.ts'
import {
  compare,
  interleave,
  type Lane,
  milliseconds,
  numberFlag,
  print,
  report,
  type Samples,
} from './measure.ts'
import { startApiProcess } from './model-api-process.ts'
import { type AgentWorld, createWorld, REAL_AGENTS } from './real-agents.ts'

const ROUNDS = numberFlag('rounds', 30)
const START_ROUNDS = 40
const TARGETS = { library: 1.05, cli: 1.3, version: 1.5 }
const PROMPT = 'Look at the file again and say in a sentence whether it is all right.'
const CLI = fileURLToPath(new URL('../bin/reprise', import.meta.url))

if (!existsSync(new URL('../dist/cli/chunks', import.meta.url))) {
  throw new Error('the CLI is not built: run `npm run build` first')
}
const isMet: boolean[] = [await compareStarts()]
for (const agent of REAL_AGENTS) isMet.push(await compareTurns(agent))
process.exitCode = isMet.every(Boolean) ? 0 : 1

async function compareStarts(): Promise<boolean> {
  const start = (file: string, ...args: string[]) => spawnSync(file, args, { stdio: 'ignore' })
  const samples = await interleave(
    [
      { name: 'node -e 0', run: () => void start(process.execPath, '-e', '0') },
      { name: 'reprise --version', run: () => void start(CLI, '--version') },
    ],
    START_ROUNDS,
  )
  printTable(`start, ${START_ROUNDS} pairs`, samples)
  return report(
    '  --version / node',
    compare(samples, 'reprise --version', 'node -e 0'),
    TARGETS.version,
  )
}

async function compareTurns(agent: (typeof REAL_AGENTS)[number]): Promise<boolean> {
  const api = await startApiProcess()
  const world = createWorld(agent.executable, api.url)
  const reprise = openLibrary(world)
  const daemon = await startDaemon(world)
  try {
    const lanes = [
      bareLane(world, agent.executable),
      await libraryLane(world, reprise),
      cliLane(world, 'cli'),
      cliLane(world, 'cli, daemon'),
    ]
    const samples = await interleave(lanes, ROUNDS)
    printTable(`one turn of Claude Code ${agent.version}, ${ROUNDS} rounds`, samples)
    const library = report('  library / bare', compare(samples, 'library', 'bare'), TARGETS.library)
    const cli = report('  cli / bare', compare(samples, 'cli', 'bare'), TARGETS.cli)
    const viaDaemon = compare(samples, 'cli, daemon', 'bare')
    return report('  cli, daemon / bare', viaDaemon, TARGETS.cli) && library && cli
  } finally {
    daemon.kill()
    await reprise.close()
    world.remove()
    api.stop()
  }
}

function openLibrary({ directory, env }: AgentWorld): Reprise {
  return createReprise({
    store: sqlite(join(directory, 'library.db')),
    agents: [claudeCode()],
    dataDir: join(directory, 'data'),
    environment: env,
  })
}

async function libraryLane({ workDir }: AgentWorld, reprise: Reprise): Promise<Lane> {
  const thread = await reprise.threads.create({ workDir })
  let expected = 'start'
  return {
    name: 'library',
    async run() {
      const { run } = await thread.send(PROMPT).result
      if (run.status !== 'completed' || run.decision?.action !== expected) throw new Error(run.id)
      expected = 'resume'
    },
  }
}

/** A daemon for the lane `cli, daemon`; it answers when it has printed its address. */
async function startDaemon({ directory, env }: AgentWorld): Promise<ChildProcess> {
  const daemon = spawn(CLI, ['serve', '--port', '0', '--json'], {
    env: { ...env, REPRISE_HOME: homeOf(directory, 'cli, daemon') },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(daemon.stdout, 'data')
  return daemon
}

function homeOf(directory: string, lane: string): string {
  const home = join(directory, lane)
  mkdirSync(home, { mode: 0o700, recursive: true })
  return home
}

/** Its own data directory without a config file, as after a first start. */
function cliLane({ directory, workDir, env }: AgentWorld, name: string): Lane {
  const home = homeOf(directory, name)
  let thread: readonly string[] = []
  return {
    name,
    async run() {
      const args = ['send', ...thread, PROMPT]
      const { err } = await call(CLI, args, {
        cwd: workDir,
        env: { ...env, REPRISE_HOME: home },
      })
      thread = ['-t', /^thread (thr_\w+)/m.exec(err)?.[1] ?? '']
    },
  }
}

/** The command that Reprise itself would give, by hand. */
function bareLane({ workDir, env }: AgentWorld, executable: string): Lane {
  const config = claudeCode()
  const runtime = runtimeOf(config, executable)
  const sessionId = randomUUID()
  let kind: 'new' | 'resume' = 'new'
  return {
    name: 'bare',
    async run() {
      const spec = {
        runId: 'bare',
        continuation: { kind, sessionId },
        prompt: PROMPT,
        workDir,
        model: config.model,
        permissionMode: config.permissionMode,
        allowedTools: [],
        disallowedTools: [],
        instructionsFile: null,
        asks: false,
        parkFiles: {},
        trust: 'project' as const,
        contextDir: null,
        env: agentEnvironment(config, env),
      }
      const { command, dialogue } = config.adapter.open(spec, runtime)
      const stdin = Buffer.from(dialogue.begin().write.join(''))
      await call(command.file, command.args, { cwd: command.workDir, env: command.env, stdin })
      kind = 'resume'
    },
  }
}

function runtimeOf({ name, adapter }: AgentConfig, executable: string): Runtime {
  const probed = adapter.probes.map(args => execFileSync(executable, args, { encoding: 'utf8' }))
  const recognised = adapter.recognise(probed)
  if ('problem' in recognised) throw new Error(recognised.problem)
  return { ...recognised, agent: name, executable, fingerprint: '' }
}

type CallOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: Uint8Array
}

async function call(file: string, args: readonly string[], options: CallOptions) {
  const { cwd, env, stdin = new Uint8Array() } = options
  const child = spawn(file, args, { cwd, env, stdio: 'pipe' })
  child.stdin.end(stdin)
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const code = await new Promise(resolve => child.on('close', resolve))
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${out} ${err}`)
  return { out, err }
}

function printTable(title: string, samples: Samples): void {
  process.stdout.write(`\n${title}\n`)
  for (const [name, values] of samples) print(`  ${name}`, milliseconds(values))
}
