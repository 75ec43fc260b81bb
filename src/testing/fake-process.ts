// One run of the fake agent in this process: lines, exit, stop and crash, as in the runner's contract.
import type { Exit, KillReason } from '../core/run/run.ts'
import type { AgentProcess, Line, ProcessLimits } from '../runner/runner.ts'
import { behave } from './fake-agent/behaviour.ts'
import type { AgentWorld, FakeOutput, Invocation } from './fake-agent/world.ts'

export type FakeProcess = AgentProcess & {
  /** Ends the run as a SIGKILL of another process does. */
  crash(): Promise<void>
}

type Base = Omit<AgentWorld, 'nextLine' | 'hang' | 'die' | 'ignoreSignals' | 'leaveOrphan'> & {
  readonly hangs: 'end-by-watchdog' | 'until-stopped'
}

export type FakeStart = {
  readonly limits: ProcessLimits
  readonly keepsInputOpen: boolean
  /** The real path of its work dir. */
  readonly workDir: string
  readonly memoryBytes: () => number
}

type Ending = Pick<Exit, 'code' | 'signal' | 'endedBy'>

/** Thrown inside the behaviour when its process has ended: nothing of it may happen after that. */
class ProcessGone extends Error {}

const MAX_STDERR_CHARS = 64 * 1024

export function startFakeProcess(
  base: Base,
  invocation: Invocation,
  start: FakeStart,
): FakeProcess {
  const lines = createLineQueue()
  const input = createInput(invocation.stdin)
  if (!start.keepsInputOpen) input.close()
  const gone = Promise.withResolvers<never>()
  gone.promise.catch(() => undefined) // Awaited only by what waits inside the behaviour.
  // A timer of an agent that was stopped would keep this process alive.
  const wake = new AbortController()
  let ending: Ending | null = null
  let sawLine = false
  let sawResult = false
  let bearsSignals = false
  let outputCut = false
  let outputBytes = 0
  let stderr = ''
  let orphans = 0
  let { limits } = start

  function end(next: Ending): void {
    if (ending !== null) return
    ending = next
    gone.reject(new ProcessGone())
    wake.abort()
  }

  /** Stops the run as the runner would: an interrupt is enough, unless the agent ignores it. */
  function endBy(reason: KillReason): void {
    end(
      bearsSignals
        ? { code: null, signal: 'SIGKILL', endedBy: reason }
        : { code: 0, signal: null, endedBy: reason },
    )
  }

  function whileAlive<A extends readonly unknown[], T>(
    act: (...args: A) => Promise<T>,
  ): (...args: A) => Promise<T> {
    return async (...args) => {
      if (ending !== null) throw new ProcessGone()
      return Promise.race([act(...args), gone.promise])
    }
  }

  const world: AgentWorld = {
    ...base,
    files: {
      ...base.files,
      write: whileAlive(base.files.write),
      append: whileAlive(base.files.append),
      stat: whileAlive(base.files.stat),
      claim: whileAlive(base.files.claim),
    },
    clock: {
      now: base.clock.now,
      sleep: whileAlive(ms => base.clock.sleep(ms, wake.signal)),
    },
    journal: whileAlive(base.journal),
    nextLine: whileAlive(input.next),
    hang() {
      if (base.hangs === 'end-by-watchdog') endBy(watchdogReason())
      return gone.promise
    },
    die(signal) {
      end({ code: null, signal, endedBy: null })
      return gone.promise
    },
    ignoreSignals() {
      bearsSignals = true
    },
    leaveOrphan() {
      outputCut = true
      orphans += 1
      return base.pid + 1_000_000
    },
  }

  function watchdogReason(): KillReason {
    if (sawResult) return 'hung-after-result'
    return sawLine ? 'silent' : 'no-first-event'
  }

  function put(output: FakeOutput): void {
    if (output.to === 'stderr') {
      stderr = `${stderr}${output.line}\n`.slice(-MAX_STDERR_CHARS)
      return
    }
    sawLine = true
    const text = 'line' in output ? output.line : new TextDecoder().decode(output.bytes).trimEnd()
    const bytes = Buffer.byteLength(text)
    outputBytes += bytes
    // The reader may be behind. The order of the events decides which watchdog fires.
    if (text.startsWith('{"type":"result"')) sawResult = true
    if (outputBytes > limits.maxOutputBytes) {
      endBy('output-limit')
      return
    }
    const head = text.slice(0, limits.maxLineBytes)
    lines.push(
      bytes > limits.maxLineBytes ? { kind: 'oversized', head, bytes } : { kind: 'line', text },
    )
  }

  async function run(): Promise<Exit> {
    const outputs = behave(invocation, world)
    try {
      while (ending === null) {
        const next = await outputs.next()
        if (next.done === true) end({ code: next.value, signal: null, endedBy: null })
        else if (ending === null) put(next.value)
      }
    } catch (error) {
      if (!(error instanceof ProcessGone)) {
        stderr = `${stderr}${String(error)}\n`
        end({ code: 70, signal: null, endedBy: null })
      }
    }
    lines.close()
    return { code: 70, signal: null, endedBy: null, ...ending, stderr, outputCut }
  }

  const exit = run()
  return {
    pid: base.pid,
    lines,
    exit,
    atStage() {},
    answerSeen() {},
    resultSeen() {
      sawResult = true
    },
    endInput: input.close,
    write: input.write,
    waitsForAnswer() {},
    turns: {
      rest() {},
      begin(next) {
        limits = next
        sawLine = false
        sawResult = false
      },
      look: () =>
        ending === null
          ? { others: orphans, memoryBytes: start.memoryBytes(), workDir: start.workDir }
          : null,
    },
    async stop(reason, beforeSignal) {
      try {
        if (ending === null) await beforeSignal?.()
      } finally {
        endBy(reason)
        await exit
      }
    },
    async crash() {
      end({ code: null, signal: 'SIGKILL', endedBy: null })
      await exit
    },
  }
}

/** Stdin, line by line. */
function createInput(first: Uint8Array) {
  const lines = createLineQueue()
  const reader = lines[Symbol.asyncIterator]()
  const write = (text: string) => {
    for (const line of text.split('\n')) if (line !== '') lines.push({ kind: 'line', text: line })
  }
  write(new TextDecoder().decode(first))
  return {
    write,
    close: lines.close,
    async next(): Promise<string | null> {
      const next = await reader.next()
      return next.done === true || next.value.kind !== 'line' ? null : next.value.text
    },
  }
}

/** Lines in order for one reader, which may come late. */
function createLineQueue(): AsyncIterable<Line> & { push(line: Line): void; close(): void } {
  const waiting: Line[] = []
  let closed = false
  let wake = Promise.withResolvers<void>()
  const signal = () => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  return {
    push(line) {
      waiting.push(line)
      signal()
    },
    close() {
      closed = true
      signal()
    },
    async *[Symbol.asyncIterator]() {
      for (let at = 0; ; at++) {
        while (at >= waiting.length) {
          if (closed) return
          await wake.promise
        }
        const line = waiting[at]
        if (line !== undefined) yield line
      }
    },
  }
}
