// The contract of the runner, the only place that starts processes.
import type { Command } from '../adapters/adapter.ts'
import type { Exit, KillReason } from '../core/run/run.ts'
import type { RealSandbox, SandboxTest } from '../core/run/sandbox.ts'
import type { Containment } from './sandbox/contain.ts'

/** When Reprise ends a process by itself, and how much output it reads. */
export type ProcessLimits = {
  /** Until the first line. */
  readonly firstEventMs: number
  /** From one line to the next. */
  readonly silenceMs: number
  /** For the whole process. */
  readonly totalMs: number
  /** From the result of the agent until its process must have ended. */
  readonly afterResultMs: number
  /** After the exit, how long another process may still hold stdout open. */
  readonly drainMs: number
  /** Between the interrupt and the terminate signal. */
  readonly interruptGraceMs: number
  /** Between the terminate and the kill signal. */
  readonly terminateGraceMs: number
  /** Of a longer line, only the beginning is read. */
  readonly maxLineBytes: number
  /** More output ends the process. */
  readonly maxOutputBytes: number
}

export const DEFAULT_LIMITS: ProcessLimits = {
  firstEventMs: 60_000,
  silenceMs: 30 * 60_000,
  totalMs: 6 * 60 * 60_000,
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
  /** Tells the watchdogs that the result was seen; an input that was kept open is closed. */
  resultSeen(): void
  /** To the input of an agent that was started with its input kept open. */
  write(text: string): void
  /** While the agent waits for somebody's answer, its silence counts for nothing, and neither does the time. */
  waitsForAnswer(state: 'waits' | 'goes-on'): void
  /** Stop ladder over the whole tree. Idempotent; the first reason stays. `beforeSignal` runs before the first signal. */
  stop(reason: KillReason, beforeSignal?: () => Promise<void>): Promise<void>
}

export type ProbeOutput = {
  /** stdout and stderr together. */
  readonly text: string
  /** A process that the probe left behind held its output: what that process would still print is missing. */
  readonly outputCut: boolean
}

export type AgentCommand = Command & {
  /** The sandbox it runs in; absent: none. */
  readonly containment?: Containment
}

export type Runner = {
  /**
   * Starts the agent. `marker` (the run's id) is put into its environment as REPRISE_RUN_ID: by it the whole tree is found.
   * Rejects with RepriseError `agent-missing` / `agent-unusable` / `bad-input` (work dir) when it cannot start. With a
   * containment, that includes a sandbox that could not be set up: nothing has then been started.
   * `recordStop` runs before the first signal of a stop that the runner decides itself (watchdogs, output limit).
   */
  start(
    command: AgentCommand,
    marker: string,
    limits: ProcessLimits,
    recordStop?: (reason: KillReason) => Promise<void>,
  ): Promise<AgentProcess>
  /** Runs a probe to its end, bounded in size and time. */
  probe(
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<ProbeOutput>
  /** Shows, once per process, whether a sandbox works here; `hidden` is the directory it has to hide. */
  testSandbox(sandbox: RealSandbox, hidden: string): Promise<SandboxTest>
  /** Ends what a dead supervisor may have left of a run; gives how many processes were found. */
  endLeftovers(marker: string): Promise<number>
}
