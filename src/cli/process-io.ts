// The real process behind the CLI: its streams and signals.
import type { Io } from './io.ts'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onWriteError)
  return {
    // Opened only by those who read it: that takes longer than the rest of this file.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
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

/** All that was printed has been taken by the reader, or the reader is gone. A pipe takes only 64 kB at once. */
export async function written(): Promise<void> {
  const streams = [process.stdout, process.stderr]
  await Promise.all(
    streams.map(stream => new Promise<void>(resolve => stream.write('', () => resolve()))),
  )
}

/** A reader that left (`| head`) is no error: the verb goes on without a reader, so that its record is whole. */
function onWriteError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') process.exit(70)
}
