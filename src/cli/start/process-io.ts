// The real process behind the CLI: its streams and signals.
import { fstatSync } from 'node:fs'
import { isatty } from 'node:tty'
import { createTerminalLine } from '../terminal/terminal-line.ts'
import { hasColours, type Io, type Sink } from './io.ts'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const printedTo = new Set<NodeJS.WriteStream>()

export function processIo(): Io {
  const { env } = process
  const line =
    isatty(2) && env.TERM !== 'dumb'
      ? createTerminalLine(
          sinkOf(() => process.stderr),
          { colours: hasColours(env) },
        )
      : undefined
  /** What is written to the terminal goes above the line at its bottom. */
  const sink = (descriptor: 1 | 2, stream: () => NodeJS.WriteStream): Sink => {
    return line && isatty(descriptor) ? sinkOf(stream, line.around) : sinkOf(stream)
  }
  return {
    // A verb that reads nothing leaves stdin alone.
    get stdin() {
      return process.stdin
    },
    isStdinPiped,
    stdout: sink(1, () => process.stdout),
    stderr: sink(2, () => process.stderr),
    ...(line && { line }),
    env,
    cwd: process.cwd(),
    onStopRequest(listener) {
      for (const signal of STOP_SIGNALS) process.on(signal, listener)
      return () => {
        for (const signal of STOP_SIGNALS) process.off(signal, listener)
      }
    },
    exitNow(code) {
      line?.clear()
      process.exit(code)
    },
  }
}

function isStdinPiped(): boolean {
  try {
    const stdin = fstatSync(0)
    return stdin.isFIFO() || stdin.isFile()
  } catch {
    return false // It is closed.
  }
}

/** Resolves when the reader has taken all output or is gone. A pipe takes only 64 kB at once. */
export async function written(): Promise<void> {
  const taken = (stream: NodeJS.WriteStream) =>
    new Promise<void>(resolve => stream.write('', () => resolve()))
  await Promise.all([...printedTo].map(taken))
}

/** Each stream is opened at its first use. */
function sinkOf(
  stream: () => NodeJS.WriteStream,
  around: (write: Sink['write']) => Sink['write'] = write => write,
): Sink {
  return {
    write: around(text => printing(stream()).write(text)),
    get isTTY() {
      return stream().isTTY
    },
    get columns() {
      return stream().columns
    },
    get stream() {
      return stream()
    },
  }
}

function printing(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (!printedTo.has(stream)) stream.on('error', onWriteError)
  printedTo.add(stream)
  return stream
}

/** A reader that leaves (`| head`) is not an error: the verb continues, so that its record is complete. */
function onWriteError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') process.exit(70)
}
