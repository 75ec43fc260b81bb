// Runs the fake agent in-process to its end and collects its output, for tests of the fake agent itself.
import type { Exit } from '../core/run/run.ts'
import { type AgentProcess, DEFAULT_LIMITS, type ProcessLimits } from '../runner/runner.ts'
import type { JournalEntry } from './fake-agent/journal.ts'
import type { FakeScript, ScriptStep } from './fake-agent/script.ts'
import {
  createFakeRunner,
  type FakeRunner,
  type FakeRunnerOptions,
  memoryExecutable,
} from './fake-runner.ts'
import { type MemoryFiles, memoryFiles } from './memory-files.ts'

export type ProcessEvent = Readonly<Record<string, unknown>> & { type: string; subtype?: string }

export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly limits?: Partial<ProcessLimits>
}

export type Ran = {
  readonly events: readonly ProcessEvent[]
  /** Subtype of each event, or its type. */
  readonly types: readonly string[]
  /** The last event. */
  readonly result: ProcessEvent | undefined
  readonly exit: Exit
}

export type InProcessAgent = {
  readonly runner: FakeRunner
  start(args: readonly string[], prompt: string, options?: RunOptions): Promise<AgentProcess>
  run(args: readonly string[], prompt: string, options?: RunOptions): Promise<Ran>
  /** Journal of the last invocation. */
  last(): JournalEntry | undefined
}

const STREAM = ['-p', '--output-format', 'stream-json', '--verbose']

/** The session that tests of the fake agent work in, and its file. */
export const ID = '11111111-1111-4111-8111-111111111111'
export const FILE = `/config/projects/-project/${ID}.jsonl`

export function linesOf(files: MemoryFiles): ProcessEvent[] {
  const lines = (files.text(FILE) ?? '').split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line))
}

/** A world with a work dir `/project` and an agent `/bin/agent`, whose config dir is `/config`. */
export async function smallWorld(): Promise<MemoryFiles> {
  const files = memoryFiles()
  await files.makeDirectory('/project')
  await files.write('/bin/agent', memoryExecutable())
  return files
}

export function inProcessAgent(
  files: MemoryFiles,
  script: FakeScript = [],
  world: Pick<FakeRunnerOptions, 'clock'> = {},
): InProcessAgent {
  const runner = createFakeRunner({ files, script, ...world })
  let runs = 0

  async function start(args: readonly string[], prompt: string, options: RunOptions = {}) {
    const command = {
      file: '/bin/agent',
      args: [...STREAM, ...args],
      env: { CLAUDE_CONFIG_DIR: '/config', ...options.env },
      workDir: '/project',
      stdin: new TextEncoder().encode(prompt),
    }
    runs += 1
    return runner.start(command, `run_${runs}`, { ...DEFAULT_LIMITS, ...options.limits })
  }

  async function run(args: readonly string[], prompt: string, options: RunOptions = {}) {
    const process = await start(args, prompt, options)
    const events: ProcessEvent[] = []
    for await (const line of process.lines)
      if (line.kind === 'line' && line.text.startsWith('{')) events.push(JSON.parse(line.text))
    const types = events.map(event => event.subtype ?? event.type)
    return { events, types, result: events.at(-1), exit: await process.exit }
  }

  return { runner, start, run, last: () => runner.journal.at(-1) }
}

/** A script that plays the same steps every time. */
export function playing(...steps: readonly ScriptStep[]): FakeScript {
  return [{ do: steps }]
}
