// The surroundings of the demo: a temporary data directory with the fake agent, and `reprise` in processes of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RepriseError } from '../../errors.ts'
import { fakeAgentExecutable } from '../../testing/fake-agent/executable.ts'
import type { Io } from '../start/io.ts'
import { OPS_POLICY } from './ops-policy.ts'
import { scriptOf } from './script.ts'

export type Stage = {
  /** Runs `reprise` with these arguments in a new process and returns the JSON that it printed. */
  run(args: readonly string[]): Promise<unknown>
  /** Starts `reprise serve` and resolves when it listens. */
  serve(): Promise<void>
  /** Waits until the agent is in the middle of its work, then kills the daemon with -9. */
  killDaemon(): Promise<void>
  remove(): Promise<void>
}

const WITHIN_MS = 60_000
const POLL_MS = 20

export async function createStage(io: Io): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'reprise-demo-'))
  const workDir = join(directory, 'project')
  const working = join(directory, 'working')
  await mkdir(workDir)
  const home = await homeIn(directory, working)
  const env = { PATH: io.env.PATH, HOME: directory, REPRISE_HOME: home }
  const start = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [...process.execArgv, fromHere('../main'), ...args, '--json'], {
      cwd: workDir,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  let daemon: ChildProcess | null = null
  const kill = async () => {
    await killed(daemon)
    daemon = null
  }
  return {
    run: args => resultOf(start(args)),
    async serve() {
      daemon = start(['serve', '--port', '0'])
      await firstWords(daemon)
    },
    async killDaemon() {
      await eventually(async () => (existsSync(working) ? working : null))
      await kill()
    },
    async remove() {
      await kill()
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Creates a data directory whose config names the fake agent and the policy of the package. */
async function homeIn(directory: string, working: string): Promise<string> {
  const home = join(directory, 'home')
  await mkdir(home, { mode: 0o700 })
  const script = join(directory, 'script.json')
  await writeFile(script, JSON.stringify(scriptOf(working)))
  const agent = {
    executable: await fakeAgentExecutable(directory),
    env: { FAKE_AGENT_SCRIPT: script, CLAUDE_CONFIG_DIR: join(directory, 'agent') },
  }
  // JSON is valid YAML.
  const config = JSON.stringify({ agents: { 'claude-code': agent }, policies: { ops: OPS_POLICY } })
  await writeFile(join(home, 'config.yaml'), config)
  return home
}

/** The same kind of program as this process: built, or from the sources. */
function fromHere(module: string): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return fileURLToPath(new URL(`${module}.${extension}`, import.meta.url))
}

async function resultOf(child: ChildProcess): Promise<unknown> {
  let out = ''
  let err = ''
  child.stdout?.setEncoding('utf8').on('data', text => {
    out += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    err += text
  })
  const code = await new Promise(resolve => child.once('close', resolve))
  if (code === 0) return JSON.parse(out) as unknown
  throw trouble(`a step of the demo ended with ${code}: ${out} ${err}`)
}

/** Resolves when the daemon has printed its address. */
async function firstWords(daemon: ChildProcess): Promise<void> {
  // Discards stderr: a full pipe would block the daemon.
  daemon.stderr?.resume()
  const words = new Promise<'words'>(resolve => daemon.stdout?.once('data', () => resolve('words')))
  const ended = new Promise<'ended'>(resolve => daemon.once('exit', () => resolve('ended')))
  if ((await Promise.race([words, ended])) === 'ended') throw trouble('the daemon did not start')
}

async function killed(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

/** Polls until `look` finds something, with a time limit. */
export async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + WITHIN_MS
  for (;;) {
    const seen = await look()
    if (seen !== null) return seen
    if (performance.now() > deadline) throw trouble('a step of the demo does not come to its end')
    await sleep(POLL_MS)
  }
}

function trouble(what: string): RepriseError {
  return new RepriseError('internal', what, 'please report it')
}
