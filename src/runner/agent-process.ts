// The life of one agent process: its input, its output, its watchdogs, its end and the end of everything that it started.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Exit, KillReason } from '../core/run/run.ts'
import type { Clock } from '../core/world.ts'
import { type Output, readOutput } from './output.ts'
import { isSameProcess, type ProcessRef, readMemoryBytes, readWorkDir } from './proc.ts'
import { endTree, findTree, olderThan, signalGroup, signalTree, type Tree } from './process-tree.ts'
import type { AgentProcess, Line, ProcessLimits, ProcessLook, ProcessTurns } from './runner.ts'
import { endInside } from './sandbox/contain.ts'
import { startWatchdogs, type Watchdogs } from './watchdogs.ts'
import type { WatchedRun } from './watcher.ts'

/** The first process of a sandbox: when it ends, everything inside ends. `null`: it could not be found. */
export type InsideSandbox = { readonly first: ProcessRef | null }

export type AgentStart = {
  readonly child: ChildProcessWithoutNullStreams
  readonly root: ProcessRef
  /** `null`: the agent runs without a sandbox. */
  readonly inside: InsideSandbox | null
  readonly marker: string
  readonly stdin: Uint8Array
  readonly keepsInputOpen: boolean
  readonly limits: ProcessLimits
  readonly clock: Clock
  readonly watch: WatchedRun
  /** Records a stop that the runner decides itself, before its first signal. */
  readonly recordStop: (reason: KillReason) => Promise<void>
}

type End = Pick<Exit, 'code' | 'signal'>

const STDERR_BYTES = 64 * 1024
/** How long processes that the agent left behind get to end. */
const SWEEP_GRACE_MS = 500
/** How long the system may take to end a process after SIGKILL: nothing that the process does delays it, but a busy machine does. */
const KILLED_MS = 5_000
/** Turns of the event loop after which Node has read a pipe to its end; three were enough in tests. */
const TURNS_TO_READ = 10
/** No machine reuses a pid within so short a time. */
const OTHERS_MS = 1_000

export class RunningAgent implements AgentProcess {
  readonly pid: number
  readonly lines: AsyncIterable<Line>
  readonly exit: Promise<Exit>
  readonly turns: ProcessTurns = {
    rest: () => this.#rest(),
    begin: (limits, recordStop) => this.#begin(limits, recordStop),
    look: how => this.#look(how),
  }
  readonly #start: AgentStart
  readonly #tree: Tree
  readonly #output: Output
  readonly #stderr: { text(): string; clear(): void; readonly ended: Promise<void> }
  #watchdogs: Watchdogs
  #recordStop: (reason: KillReason) => Promise<void>
  readonly #gone = Promise.withResolvers<End>()
  #known: readonly ProcessRef[] = []
  #others: { readonly pids: ReadonlySet<number>; readonly seenAtMs: number } | null = null
  #hasEnded = false
  #isAsking = false
  #endedBy: KillReason | null = null
  #stopping: Promise<void> | null = null

  constructor(start: AgentStart) {
    const { child, limits } = start
    this.#start = start
    this.#recordStop = start.recordStop
    this.pid = start.root.pid
    this.#tree = { marker: start.marker, root: start.root }
    this.#output = readOutput({
      stdout: child.stdout,
      limits,
      onLine: () => this.#watchdogs.lineSeen(),
      onTooMuch: () => this.#stopByItself('output-limit'),
    })
    this.lines = this.#output.lines
    this.#stderr = keepTail(child.stderr, STDERR_BYTES)
    this.#watchdogs = this.#watch(limits)
    child.on('exit', (code, signal) => {
      this.#hasEnded = true
      this.#gone.resolve(start.inside === null ? { code, signal } : endInside({ code, signal }))
    })
    // An agent may close its stdin before it has read everything (EPIPE). Its answer still counts.
    child.stdin.on('error', () => {})
    if (start.keepsInputOpen) child.stdin.write(start.stdin)
    else child.stdin.end(start.stdin)
    this.exit = this.#live()
  }

  /** The agent needs a while until its result. The runner lists the machine's processes meanwhile, so that few are left to check then. */
  answerSeen(): void {
    globalThis.setImmediate(() => this.#noteOthers())
  }

  atStage(stage: 'prepares' | 'works'): void {
    this.#watchdogs.atStage(stage)
  }

  resultSeen(): void {
    this.#watchdogs.resultSeen()
    globalThis.setImmediate(() => this.#noteOthers())
  }

  endInput(): void {
    this.#start.child.stdin.end()
  }

  write(text: string): void {
    if (this.#start.child.stdin.writable) this.#start.child.stdin.write(text)
  }

  waitsForAnswer(state: 'waits' | 'goes-on'): void {
    this.#isAsking = state === 'waits'
  }

  #watch(limits: ProcessLimits): Watchdogs {
    return startWatchdogs({
      clock: this.#start.clock,
      limits,
      isHeldUp: () => this.#output.isHeldUp(),
      isAsking: () => this.#isAsking,
      onBite: reason => this.#stopByItself(reason),
    })
  }

  #rest(): void {
    this.#watchdogs.end()
    this.#recordStop = async () => {}
  }

  #begin(limits: ProcessLimits, recordStop: (reason: KillReason) => Promise<void>): void {
    this.#watchdogs.end()
    this.#recordStop = recordStop
    this.#output.countAnew()
    this.#stderr.clear()
    if (!this.#hasEnded) this.#watchdogs = this.#watch(limits)
  }

  #look(how?: 'quickly'): ProcessLook | null {
    const { root, inside } = this.#start
    if (this.#hasEnded || inside !== null || !isSameProcess(root)) return null
    const workDir = readWorkDir(root.pid)
    const tree = findTree(this.#treeNow(how === 'quickly' ? Number.POSITIVE_INFINITY : OTHERS_MS))
    const memoryBytes = tree.reduce((sum, { pid }) => sum + readMemoryBytes(pid), 0)
    return workDir === null ? null : { others: tree.length - 1, memoryBytes, workDir }
  }

  stop(reason: KillReason, beforeSignal?: () => Promise<void>): Promise<void> {
    this.#stopping ??= this.#stop(reason, beforeSignal)
    return this.#stopping
  }

  async #live(): Promise<Exit> {
    const end = await this.#gone.promise
    this.#watchdogs.end()
    this.#output.letFlow()
    if (this.#endedBy !== null) await this.#sweep()
    const outputCut = !(await this.#drain())
    this.#output.close()
    this.#start.child.stderr.destroy()
    const left = await this.#sweep()
    // The watcher keeps watching what even SIGKILL did not end.
    if (left === 0) this.#start.watch.release()
    return { ...end, endedBy: this.#endedBy, stderr: this.#stderr.text(), outputCut }
  }

  /** False: a process that outlived the agent still holds its output open. */
  async #drain(): Promise<boolean> {
    let hasEnded = false
    const ended = Promise.all([this.#output.ended, this.#stderr.ended]).then(() => {
      hasEnded = true
    })
    if (await this.#within(ended, this.#start.limits.drainMs)) return true
    // On a busy loop the timer fires before Node reads the pipe, while the agent's last lines are still in it.
    for (let turn = 0; turn < TURNS_TO_READ && !hasEnded; turn += 1) await setImmediate()
    return hasEnded
  }

  #noteOthers(): void {
    if (this.#hasEnded || this.#areNoted(OTHERS_MS / 2)) return
    this.#others = { pids: olderThan(this.#start.root), seenAtMs: performance.now() }
  }

  /** Ends the processes that the agent left behind; returns how many could not be ended. */
  async #sweep(): Promise<number> {
    const first = this.#start.inside?.first
    const known = first ? [...this.#known, first] : this.#known
    const ended = await endTree(this.#treeNow(), { known, graceMs: SWEEP_GRACE_MS })
    return ended.left
  }

  /** What was noted a moment ago need not be checked again. */
  #treeNow(withinMs = OTHERS_MS): Tree {
    const noted = this.#others
    return noted !== null && this.#areNoted(withinMs)
      ? { ...this.#tree, others: noted.pids }
      : this.#tree
  }

  #areNoted(withinMs: number): boolean {
    return this.#others !== null && performance.now() - this.#others.seenAtMs < withinMs
  }

  #stopByItself(reason: KillReason): void {
    // The recorder handles a failed record; the process is stopped all the same.
    this.stop(reason, () => this.#recordStop(reason)).catch(() => {})
  }

  async #stop(reason: KillReason, beforeSignal?: () => Promise<void>): Promise<void> {
    let failure: { readonly error: unknown } | null = null
    try {
      await beforeSignal?.()
    } catch (error) {
      failure = { error }
    }
    if (!this.#hasEnded) {
      this.#endedBy = reason
      await this.#climbLadder()
    }
    await this.exit
    if (failure !== null) throw failure.error
  }

  async #climbLadder(): Promise<void> {
    const { limits } = this.#start
    // An agent that is blocked on its output could not act on the interrupt, so its output flows from now on.
    this.#output.letFlow()
    // Parent links disappear with the agent, so its descendants are noted before every signal.
    this.#known = findTree(this.#tree)
    this.#interrupt()
    if (await this.#within(this.#gone.promise, limits.interruptGraceMs)) return
    this.#known = [...this.#known, ...signalTree(this.#tree, 'SIGTERM')]
    if (await this.#within(this.#gone.promise, limits.terminateGraceMs)) return
    this.#known = [...this.#known, ...signalTree(this.#tree, 'SIGKILL')]
    if (await this.#within(this.#gone.promise, KILLED_MS)) return
    // Not even SIGKILL ends a process that hangs in the kernel (a dead network drive), so the runner does not wait for it.
    this.#hasEnded = true
    this.#gone.resolve({ code: null, signal: null })
  }

  /** The sandbox ignores the signal, so it goes to the whole group, which includes the agent inside. */
  #interrupt(): void {
    const { child, inside, root } = this.#start
    if (inside === null) child.kill('SIGINT')
    else signalGroup(root, 'SIGINT')
  }

  async #within(event: Promise<unknown>, boundMs: number): Promise<boolean> {
    const over = new AbortController()
    const happened = event.then(() => true)
    const tooLate = this.#start.clock.sleep(boundMs, over.signal).then(() => false)
    const result = await Promise.race([happened, tooLate])
    over.abort()
    return result
  }
}

function keepTail(stream: Readable, maxBytes: number) {
  const ended = Promise.withResolvers<void>()
  let tail = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    const joined = Buffer.concat([tail, chunk])
    tail = joined.subarray(Math.max(0, joined.length - maxBytes))
  })
  stream.on('close', () => ended.resolve())
  // A broken pipe has ended; `close` follows.
  stream.on('error', () => {})
  const clear = () => {
    tail = Buffer.alloc(0)
  }
  return { text: () => tail.toString('utf8'), clear, ended: ended.promise }
}
