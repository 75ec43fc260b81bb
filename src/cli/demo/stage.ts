// Where the demo plays: a throw-away data directory with the fake agent, and `reprise` as processes of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RepriseError } from '../../errors.ts'
import { fakeAgentExecutable } from '../../testing/fake-agent/executable.ts'
import type { Io } from '../io.ts'
import { scriptOf } from './script.ts'

export type Stage = {
  /** Runs `reprise` with these arguments in a new process; gives what it printed with --json. */
  run(args: readonly string[]): Promise<unknown>
  /** Starts `reprise`, waits until its agent is in the middle of its work, and kills it with -9. */
  killInTheMiddle(args: readonly string[]): Promise<void>
  remove(): Promise<void>
}

const REACHED_WITHIN_MS = 15_000
const POLL_MS = 20

export async function createStage(io: Io): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'reprise-demo-'))
  const home = join(directory, 'home')
  const workDir = join(directory, 'project')
  const reached = join(directory, 'working')
  await mkdir(home, { mode: 0o700 })
  await mkdir(workDir)
  const script = join(directory, 'script.json')
  await writeFile(script, JSON.stringify(scriptOf(reached)))
  const agent = {
    executable: await fakeAgentExecutable(directory),
    env: { FAKE_AGENT_SCRIPT: script, CLAUDE_CONFIG_DIR: join(directory, 'agent') },
  }
  // JSON is YAML.
  await writeFile(join(home, 'config.yaml'), JSON.stringify({ agents: { 'claude-code': agent } }))
  const env = { PATH: io.env.PATH, HOME: directory, REPRISE_HOME: home }
  const start = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [...process.execArgv, entry(), ...args, '--json'], {
      cwd: workDir,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return {
    run: args => resultOf(start(args)),
    killInTheMiddle: async args => {
      const child = start(args)
      const ended = new Promise(resolve => child.once('exit', resolve))
      await waitForFile(reached)
      child.kill('SIGKILL')
      await ended
    },
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** The same entry that this process was started with: built, or from the sources. */
function entry(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return fileURLToPath(new URL(`../main.${extension}`, import.meta.url))
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
  throw new RepriseError(
    'internal',
    `a step of the demo ended with ${code}: ${out} ${err}`,
    'please report it',
  )
}

async function waitForFile(path: string): Promise<void> {
  const deadline = performance.now() + REACHED_WITHIN_MS
  while (!existsSync(path)) {
    if (performance.now() > deadline) {
      throw new RepriseError('internal', 'the fake agent did not start', 'please report it')
    }
    await sleep(POLL_MS)
  }
}
