// The real process behind the CLI: its streams and signals.
import { fstatSync } from 'node:fs'
import type { Io } from './io.ts'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const printedTo = new Set<NodeJS.WriteStream>()

export function processIo(): Io {
  return {
    // Each stream is opened at its first use, so a verb that reads nothing leaves stdin alone.
    get stdin() {
      return process.stdin
    },
    isStdinPiped,
    get stdout() {
      return printing(process.stdout)
    },
    get stderr() {
      return printing(process.stderr)
    },
    env: process.env,
    cwd: process.cwd(),
    onStopRequest(listener) {
      for (const signal of STOP_SIGNALS) process.on(signal, listener)
      return () => {
        for (const signal of STOP_SIGNALS) process.off(signal, listener)
      }
    },
    exitNow: code => process.exit(code),
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

function printing(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (!printedTo.has(stream)) stream.on('error', onWriteError)
  printedTo.add(stream)
  return stream
}

/** A reader that leaves (`| head`) is not an error: the verb continues, so that its record is complete. */
function onWriteError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') process.exit(70)
}
