// The runner: starts agents and probes, and ends the processes that a dead supervisor has left.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { KillReason } from '../core/run/run.ts'
import type { Clock } from '../core/world.ts'
import { RepriseError } from '../errors.ts'
import { type InsideSandbox, RunningAgent } from './agent-process.ts'
import { MARKER_VARIABLE, type ProcessRef, readStartTime } from './proc.ts'
import { endTree } from './process-tree.ts'
import { systemClock, systemRandom } from './real-world.ts'
import { type AgentCommand, DEFAULT_LIMITS, type ProcessLimits, type Runner } from './runner.ts'
import { checkContained } from './sandbox/check-contained.ts'
import { contain } from './sandbox/contain.ts'
import { GO, untilReady } from './sandbox/handshake.ts'
import { createSandboxes, firstInside, type Sandboxes } from './sandbox/sandboxes.ts'
import { assertMarker, assertProgram, startError } from './start-errors.ts'
import { createWatcher } from './watcher.ts'
import { type HeldWorkDir, holdWorkDir } from './work-dir.ts'

const PROBE_MS = 20_000
/** An agent among the leftovers may still write its session file. */
const LEFTOVER_GRACE_MS = 1_500
const PROBE_LIMITS: ProcessLimits = {
  ...DEFAULT_LIMITS,
  firstEventMs: PROBE_MS,
  silenceMs: PROBE_MS,
  totalMs: PROBE_MS,
  drainMs: 500,
  interruptGraceMs: 500,
  terminateGraceMs: 1_000,
  maxLineBytes: 1024 * 1024,
  maxOutputBytes: 1024 * 1024,
}

/** These programs load everything that they need for their work before they answer. */
const GREETING_MS = 60_000
const GREETING_LIMITS: ProcessLimits = {
  ...PROBE_LIMITS,
  firstEventMs: GREETING_MS,
  silenceMs: GREETING_MS,
  totalMs: GREETING_MS,
}

export function createRunner(options: { readonly clock?: Clock } = {}): Runner {
  const clock = options.clock ?? systemClock
  const watcher = createWatcher()
  const sandboxes = createSandboxes()

  const start: Runner['start'] = async (command, marker, limits, recordStop) => {
    assertMarker(marker)
    assertProgram(command.file)
    const watch = watcher.watch(marker)
    try {
      const child = await spawnAgent(command, marker, sandboxes)
      watch.follow(child.root)
      return new RunningAgent({
        ...child,
        marker,
        stdin: command.stdin,
        keepsInputOpen: command.keepsInputOpen ?? false,
        limits,
        clock,
        watch,
        recordStop: recordStop ?? (async (_: KillReason) => {}),
      })
    } catch (error) {
      watch.release()
      throw error instanceof RepriseError ? error : startError(command.file, error)
    }
  }

  const probe: Runner['probe'] = async (file, args, env, greeting) => {
    // A probe does not run in the caller's directory, whose files could change what the program prints about itself.
    const stdin = new TextEncoder().encode(greeting?.input ?? '')
    const keepsInputOpen = greeting !== undefined
    const command: AgentCommand = { file, args, env, workDir: '/', stdin, keepsInputOpen }
    const limits = greeting ? GREETING_LIMITS : PROBE_LIMITS
    const agent = await start(command, systemRandom.id('run'), limits)
    const texts: string[] = []
    let answer: string | null = null
    for await (const line of agent.lines) {
      const text = line.kind === 'line' ? line.text : line.head
      texts.push(text)
      if (answer !== null || greeting?.isAnswer(text) !== true) continue
      answer = text
      // A program that stays would wait for more. It has begun nothing that it must finish.
      void agent.stop('cancelled')
    }
    const exit = await agent.exit
    if (answer !== null) return { text: answer, outputCut: false }
    if (exit.endedBy !== null && exit.endedBy !== 'output-limit')
      throw tooSlow(command, greeting ? 'answer' : 'end', limits)
    const text = [...texts, exit.stderr].filter(part => part !== '').join('\n')
    return { text, outputCut: exit.outputCut }
  }

  return {
    start,
    probe,
    testSandbox: sandboxes.test,
    endLeftovers: async marker => {
      assertMarker(marker)
      const ended = await endTree({ marker, root: null }, { graceMs: LEFTOVER_GRACE_MS })
      return ended.found
    },
  }
}

type Spawned = {
  readonly child: ChildProcessWithoutNullStreams
  readonly root: ProcessRef
  readonly inside: InsideSandbox | null
}

/** When `spawn` returns a pid, the program is already running, so there is nothing to wait for. */
async function spawnAgent(
  command: AgentCommand,
  marker: string,
  sandboxes: Sandboxes,
): Promise<Spawned> {
  const child = spawnIn(holdWorkDir(command.workDir), commandLine(command, sandboxes), marker)
  const failed = new Promise<never>((_, reject) => child.on('error', reject))
  const { pid } = child
  if (pid === undefined) return failed
  failed.catch(() => {}) // Later errors are about signals to a process that has ended.
  const root = { pid, startTime: readStartTime(pid) }
  if (command.containment === undefined) return { child, root, inside: null }
  await untilReady(child, command.containment.sandbox)
  child.stdin.write(GO)
  return { child, root, inside: { first: firstInside(pid) } }
}

/** The agent itself, or the sandbox around it. */
function commandLine(command: AgentCommand, sandboxes: Sandboxes): AgentCommand {
  if (command.containment === undefined) return command
  const containment = checkContained(command, command.containment)
  return { ...command, ...contain(command, command.workDir, containment, sandboxes.offer()) }
}

/** The program is in its directory when `spawn` returns. */
function spawnIn(
  { cwd, file: workDir, release }: HeldWorkDir,
  { file, args, env, containment }: AgentCommand,
  marker: string,
): ChildProcessWithoutNullStreams {
  const more = containment === undefined ? [] : ['pipe' as const, workDir ?? ('ignore' as const)]
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env, [MARKER_VARIABLE]: marker },
      detached: true,
      shell: false,
      stdio: ['pipe', 'pipe', 'pipe', ...more],
    })
    if (hasStreams(child)) return child
    throw new Error('a process was started without its streams')
  } finally {
    release()
  }
}

function hasStreams(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return child.stdin !== null && child.stdout !== null && child.stderr !== null
}

function tooSlow(
  { file, args }: AgentCommand,
  what: 'answer' | 'end',
  { totalMs }: ProcessLimits,
): RepriseError {
  const line = [file, ...args].join(' ')
  return new RepriseError(
    'agent-unusable',
    `${line} did not ${what} within ${totalMs / 1000} seconds`,
    `Run \`${line}\` to see what it waits for.`,
  )
}
