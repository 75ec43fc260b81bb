// A runner whose agents are the fake agent's behaviour in this process: no processes, no timers, the same contract.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../core/world.ts'
import { RepriseError } from '../errors.ts'
import type { AgentCommand, ProcessLimits, Runner } from '../runner/runner.ts'
import { behave } from './fake-agent/behaviour.ts'
import { versionInExecutable } from './fake-agent/executable.ts'
import { foldJournal, type JournalEntry, type JournalLine } from './fake-agent/journal.ts'
import type { FakeScript } from './fake-agent/script.ts'
import { DEFAULT_VERSION } from './fake-agent/versions.ts'
import type { WritableFiles } from './fake-agent/world.ts'
import { type FakeProcess, startFakeProcess } from './fake-process.ts'

/** A runner that plays fake agents inside this process, without starting anything. */
export type FakeRunner = Runner & {
  /** One entry for each turn of an agent, without probes. */
  readonly journal: readonly JournalEntry[]
  /** Markers of the runs that are not over. */
  readonly running: readonly string[]
  /** Ends a run as `kill -9` does: what it wrote stays, and it prints nothing more. */
  crash(marker: string): Promise<void>
}

/** What the fake agents play, and in which world. */
export type FakeRunnerOptions = {
  /** The files that the agents read and write, in memory or on disk. */
  readonly files: WritableFiles
  /** Played by agents whose environment names no script. */
  readonly script?: FakeScript
  /** The clock for steps that sleep or wait, and for dates; default: real time. */
  readonly clock?: Clock
  /** Makes the ids of sessions and messages; default: random ones. */
  readonly uuid?: () => string
  /** What happens to an agent that hangs: the watchdog ends it at once, or it hangs until it is stopped. */
  readonly hangs?: 'end-by-watchdog' | 'until-stopped'
  /** The memory of each process; default: 200 MiB. */
  readonly memoryBytes?: () => number
}

/** What Claude Code needs at rest. */
const USUAL_MEMORY_BYTES = 200 * 1024 * 1024

const PROGRAM = '#!fake-agent'

/** The content of an executable for `MemoryFiles`. Another version is another program. */
export function memoryExecutable(version: string = DEFAULT_VERSION): string {
  return `${PROGRAM} ${version}\n`
}

/** Creates a runner for `RepriseOptions.dependencies`. */
export function createFakeRunner(options: FakeRunnerOptions): FakeRunner {
  const { files, uuid = randomUUID } = options
  const clock = options.clock ?? realClock
  const lines: JournalLine[] = []
  const running = new Map<string, FakeProcess>()
  let nextPid = 1

  const base = {
    files,
    clock,
    uuid,
    script: options.script ?? [],
    hangs: options.hangs ?? 'end-by-watchdog',
    journal: async (line: JournalLine) => void lines.push(line),
  }

  async function start(command: AgentCommand, marker: string, limits: ProcessLimits) {
    if ((await files.stat(command.workDir))?.kind !== 'directory')
      throw new RepriseError(
        'bad-input',
        `The work dir ${command.workDir} is not a directory`,
        'Name a directory that exists.',
      )
    const version = await versionOf(files, command.file)
    const env = { FAKE_AGENT_VERSION: version, ...command.env, REPRISE_RUN_ID: marker }
    const invocation = { args: command.args, env, cwd: command.workDir, stdin: command.stdin }
    const started = startFakeProcess({ ...base, pid: nextPid++ }, invocation, {
      limits,
      keepsInputOpen: command.keepsInputOpen === true,
      workDir: (await files.realpath(command.workDir)) ?? command.workDir,
      memoryBytes: options.memoryBytes ?? (() => USUAL_MEMORY_BYTES),
    })
    running.set(marker, started)
    void started.exit.then(() => running.delete(marker))
    return started
  }

  async function crash(marker: string): Promise<void> {
    await running.get(marker)?.crash()
  }

  return {
    start,
    crash,
    async probe(file, args, env) {
      const given = { FAKE_AGENT_VERSION: await versionOf(files, file), ...env }
      const invocation = { args, env: given, cwd: '/', stdin: new Uint8Array() }
      const text = await probeText(behave(invocation, { ...base, pid: 0, ...noProcess }))
      return { text, outputCut: false }
    },
    // Nothing of a simulated agent can outlive it.
    testSandbox: async () => ({ works: true }),
    async endLeftovers(marker) {
      if (!running.has(marker)) return 0
      await crash(marker)
      return 1
    },
    get journal() {
      return foldJournal(lines)
    },
    get running() {
      return [...running.keys()]
    },
  }
}

/** The program is a file of `memoryExecutable`, or one that `fakeAgentExecutable` wrote with a version. */
async function versionOf(files: WritableFiles, file: string): Promise<string> {
  const bytes = await files.read(file)
  if (bytes === null)
    throw new RepriseError('agent-missing', `There is no program ${file}`, 'Install it.')
  const content = new TextDecoder().decode(bytes)
  if (content.startsWith(PROGRAM)) return content.slice(PROGRAM.length).trim() || DEFAULT_VERSION
  const version = versionInExecutable(content)
  if (version !== null) return version
  throw new RepriseError('agent-unusable', `${file} is not a program`, 'Name an agent.')
}

async function probeText(outputs: ReturnType<typeof behave>): Promise<string> {
  let text = ''
  for await (const output of outputs) if ('line' in output) text += `${output.line}\n`
  return text
}

const noProcess = {
  nextLine: async () => null,
  hang: () => Promise.reject(new Error('a probe does not hang')),
  die: () => Promise.reject(new Error('a probe does not die')),
  ignoreSignals: () => undefined,
  leaveOrphan: () => 0,
}

const realClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
}
