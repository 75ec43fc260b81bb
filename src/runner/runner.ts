// The contract of the runner, the only place that starts processes.
import type { Command, Greeting } from '../adapters/adapter.ts'
import { DEFAULT_LIMIT_SETTINGS, type LimitSettings } from '../core/limit-settings.ts'
import type { Exit, KillReason } from '../core/run/run.ts'
import type { RealSandbox, SandboxTest } from '../core/run/sandbox.ts'
import type { Containment } from './sandbox/contain.ts'

/** When Reprise ends a process by itself, and how much output it reads. */
export type ProcessLimits = LimitSettings & {
  /** Longest time from the result of the agent to the end of its process. */
  readonly afterResultMs: number
  /** How long another process may hold stdout open after the exit. */
  readonly drainMs: number
  /** Time between the interrupt and the terminate signal. */
  readonly interruptGraceMs: number
  /** Time between the terminate and the kill signal. */
  readonly terminateGraceMs: number
  /** Of a longer line, only the beginning is read. */
  readonly maxLineBytes: number
  /** More output ends the process. */
  readonly maxOutputBytes: number
}

export const DEFAULT_LIMITS: ProcessLimits = {
  ...DEFAULT_LIMIT_SETTINGS,
  afterResultMs: 15_000,
  drainMs: 2_000,
  interruptGraceMs: 5_000,
  terminateGraceMs: 5_000,
  maxLineBytes: 8 * 1024 * 1024,
  maxOutputBytes: 256 * 1024 * 1024,
}

export type Line =
  | { readonly kind: 'line'; readonly text: string }
  /** Longer than the cap: only its beginning was kept. */
  | { readonly kind: 'oversized'; readonly head: string; readonly bytes: number }

export type AgentProcess = {
  readonly pid: number
  /** Ends when stdout ended (or was cut) and the process is gone. */
  readonly lines: AsyncIterable<Line>
  /** Everything is over: the process, its whole tree, its output. Never rejects. */
  readonly exit: Promise<Exit>
  /** While the agent prepares the turn, it may be silent no longer than at its start. */
  atStage(stage: 'prepares' | 'works'): void
  /** The agent has said what may be its last words: work that the end of the turn needs is done while the agent goes on. */
  answerSeen(): void
  /** Starts the watchdog for the time after the result. */
  resultSeen(): void
  /** Ends an input that was kept open. */
  endInput(): void
  /** Writes to the input of an agent that was started with an open input. */
  write(text: string): void
  /** While the agent waits for an answer, neither its silence nor the time counts. */
  waitsForAnswer(state: 'waits' | 'goes-on'): void
  /** Stops the whole tree: interrupt, terminate, kill. Idempotent; the first reason stays. `beforeSignal` runs before the first signal. */
  stop(reason: KillReason, beforeSignal?: () => Promise<void>): Promise<void>
  /** For a process that takes several turns; absent: it takes one. */
  readonly turns?: ProcessTurns
}

export type ProcessTurns = {
  /** The turn is over and the process waits for the next one: no watchdog counts, and no stop is recorded. */
  rest(): void
  /** Another turn begins: its limits count from now on, and a stop by the runner itself is recorded by `recordStop`. */
  begin(limits: ProcessLimits, recordStop: (reason: KillReason) => Promise<void>): void
  /**
   * What lives of it at this moment; `null`: it has ended, or this machine does not tell. A quick look may miss a process whose pid
   * belonged to an older one in the turn before.
   */
  look(how?: 'quickly'): ProcessLook | null
}

export type ProcessLook = {
  /** How many other processes belong to it. */
  readonly others: number
  /** Memory of all of them that is not swapped out. */
  readonly memoryBytes: number
  /** The real path of the directory in which it works; another path, or `… (deleted)`, when somebody moved or removed it. */
  readonly workDir: string
}

export type ProbeOutput = {
  /** stdout and stderr together. */
  readonly text: string
  /** A process that the probe left behind held its output open, so later output is missing. */
  readonly outputCut: boolean
}

export type AgentCommand = Command & {
  /** The first bytes of its input. */
  readonly stdin: Uint8Array
  /** More will follow on stdin, so it stays open until Reprise ends it. */
  readonly keepsInputOpen?: boolean
  /** The sandbox it runs in; absent: none. */
  readonly containment?: Containment
}

export type Runner = {
  /**
   * Starts the agent. `marker` (the run's id) is in its environment as REPRISE_RUN_ID, so that the whole tree can be found.
   * Rejects with RepriseError `agent-missing` / `agent-unusable` / `bad-input` (work dir) when it cannot start. With a
   * containment, that includes a sandbox that could not be set up: nothing was started then.
   * `recordStop` runs before the first signal of a stop that the runner decides itself (watchdogs, output limit).
   */
  start(
    command: AgentCommand,
    marker: string,
    limits: ProcessLimits,
    recordStop?: (reason: KillReason) => Promise<void>,
  ): Promise<AgentProcess>
  /** Runs a probe to its end, bounded in size and time. With a greeting: until its answer, which is then the whole text. */
  probe(
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    greeting?: Pick<Greeting, 'input' | 'isAnswer'>,
  ): Promise<ProbeOutput>
  /** Tests, once per process, whether a sandbox works here; `hidden` is the directory that it has to hide. */
  testSandbox(sandbox: RealSandbox, hidden: string): Promise<SandboxTest>
  /** Ends the processes of a run that a dead supervisor may have left; returns how many were found. */
  endLeftovers(marker: string): Promise<number>
}

/** A program that runs for a caller of ours: its streams are the caller's, and Reprise only looks on. */
export type ForwardedCommand = {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** In its environment as REPRISE_RUN_ID, so that its whole tree can be found when Reprise is killed. */
  readonly marker: string
  /** It has a terminal: it stays in the terminal's foreground group, and gets its signals from there. */
  readonly onTerminal: boolean
  /** Each gets a copy of the bytes; a stream that nobody looks at is passed on as it is. */
  readonly look: {
    readonly stdin?: StreamLook
    readonly stdout?: StreamLook
    readonly stderr?: StreamLook
  }
}

export type StreamLook = {
  bytes(chunk: Uint8Array): void
  end(): void
}

export type ForwardedProcess = {
  readonly pid: number
  /** How the program ended. Its output has been passed on by then. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Passes a signal on, as if it had come from outside. */
  signal(name: 'SIGINT' | 'SIGTERM'): void
}

/** Throws when the program cannot be started. */
export type Forward = (command: ForwardedCommand) => ForwardedProcess
