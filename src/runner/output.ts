// An agent's stdout as lines. A slow reader takes them at its own pace, in bounded memory.
import type { Readable } from 'node:stream'
import { createLineSplitter } from './lines.ts'
import type { Line, ProcessLimits } from './runner.ts'

export type Output = {
  readonly lines: AsyncIterable<Line>
  /** Resolves when the stream ended. */
  readonly ended: Promise<void>
  /** True while the agent has to wait for the reader of `lines`. */
  isHeldUp(): boolean
  /** From now on the output does not wait for the reader: it takes everything that is still in the pipe. */
  letFlow(): void
  /** Ends the output: gives the last line, then `lines` ends. */
  close(): void
  /** Counts what comes from now on against the limit of the output. */
  countAnew(): void
}

export type OutputOptions = {
  readonly stdout: Readable
  readonly limits: Pick<ProcessLimits, 'maxLineBytes' | 'maxOutputBytes'>
  readonly onLine: () => void
  /** Called once, when there was more than `maxOutputBytes`; the rest is dropped. */
  readonly onTooMuch: () => void
}

/** How much may wait for the reader. Above it the agent's pipe is not read; one chunk may exceed it. */
const MAX_WAITING_LINES = 1_000
const MAX_WAITING_LENGTH = 8 * 1024 * 1024

export function readOutput(options: OutputOptions): Output {
  const { stdout, limits } = options
  const splitter = createLineSplitter(limits)
  const queue = createLineQueue(() => stdout.resume())
  const ended = Promise.withResolvers<void>()
  let totalBytes = 0
  let isFlowing = false

  stdout.on('data', (chunk: Buffer) => {
    const wasWithin = totalBytes <= limits.maxOutputBytes
    totalBytes += chunk.length
    if (totalBytes > limits.maxOutputBytes) {
      if (wasWithin) options.onTooMuch()
      return
    }
    const lines = splitter.push(chunk)
    if (lines.length === 0) return
    options.onLine()
    queue.add(lines)
    if (queue.isFull() && !isFlowing) stdout.pause()
  })
  stdout.on('close', () => ended.resolve())
  // A broken pipe has ended; `close` follows.
  stdout.on('error', () => {})

  return {
    lines: queue.lines,
    ended: ended.promise,
    isHeldUp: () => stdout.isPaused(),
    letFlow: () => {
      isFlowing = true
      stdout.resume()
    },
    close: () => {
      stdout.destroy()
      queue.add(splitter.end())
      queue.end()
    },
    countAnew: () => {
      totalBytes = 0
    },
  }
}

function createLineQueue(onRoom: () => void) {
  let waiting: Line[] = []
  let taken = 0
  let length = 0
  let isOver = false
  let isAbandoned = false
  let reader: ((result: IteratorResult<Line>) => void) | null = null

  function take(): IteratorResult<Line> | null {
    const value = waiting[taken]
    if (value === undefined) return isOver ? { done: true, value: undefined } : null
    taken += 1
    if (taken === waiting.length) empty()
    return { done: false, value }
  }

  function empty(): void {
    waiting = []
    taken = 0
    length = 0
    onRoom()
  }

  function serve(): void {
    const result = reader === null ? null : take()
    if (result === null) return
    reader?.(result)
    reader = null
  }

  const iterator: AsyncIterator<Line> = {
    next: () => {
      const result = take()
      if (result !== null) return Promise.resolve(result)
      return new Promise(resolve => {
        reader = resolve
      })
    },
    // A reader that leaves must not block the agent, so later lines are dropped.
    return: () => {
      isAbandoned = true
      empty()
      return Promise.resolve({ done: true, value: undefined })
    },
  }

  return {
    lines: { [Symbol.asyncIterator]: () => iterator },
    isFull: () => waiting.length - taken > MAX_WAITING_LINES || length > MAX_WAITING_LENGTH,
    add(lines: readonly Line[]): void {
      if (isAbandoned) return
      for (const line of lines) {
        waiting.push(line)
        length += line.kind === 'line' ? line.text.length : line.head.length
      }
      serve()
    },
    end(): void {
      isOver = true
      serve()
    },
  }
}
