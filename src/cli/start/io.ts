// The parts of the process that a verb may use: streams, environment, directory. Tests pass their own.
import { styleText } from 'node:util'

export type Sink = {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export type Source = AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean }

export type Io = {
  readonly stdin: Source
  /** Whether a shell has put a pipe or a file on stdin. Programs that start us give a socket, which may never end. */
  readonly isStdinPiped: () => boolean
  /** For results. */
  readonly stdout: Sink
  /** For progress, notices and errors. */
  readonly stderr: Sink
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Calls the listener on each request to stop (Ctrl-C, TERM, HUP). Returns the function that removes it. */
  onStopRequest(listener: () => void): () => void
  /** Ends the process at once. */
  exitNow(code: number): void
}

type Format = Parameters<typeof styleText>[0]

/** Colours text only on a terminal, and not when NO_COLOR is set. */
export function paint(io: Io, sink: Sink, format: Format): (text: string) => string {
  const colours = sink.isTTY === true && !io.env.NO_COLOR && io.env.TERM !== 'dumb'
  return text => (colours ? styleText(format, text, { validateStream: false }) : text)
}
