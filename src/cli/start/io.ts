// The parts of the process that a verb may use: streams, environment, directory. Tests pass their own.
import type { Writable } from 'node:stream'
import { styleText } from 'node:util'

export type Sink = {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  /** The stream behind it, for a reader of lines that draws on the terminal by itself. */
  readonly stream?: Writable
}

type Format = Parameters<typeof styleText>[0]

export type Row = {
  /** Harmless for a terminal, without colours. It is cut to the width of the terminal. */
  readonly text: string
  readonly look?: Format
  /** Where the cursor stands; only for the last row. Default: behind the text. */
  readonly cursor?: number
}

/** The bottom of a terminal; `terminal/terminal-line.ts` draws it. */
export type TerminalLine = {
  /** Shows the rows in place of those before. While a printed line is open, they wait for its end. */
  show(rows: readonly Row[]): void
  /** Removes the rows. Call it in a `finally`: nothing of them may stay behind. */
  clear(): void
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
  /** The bottom of the terminal, for progress. Only where stderr is a terminal that can move its cursor. */
  readonly line?: TerminalLine
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Calls the listener on each request to stop (Ctrl-C, TERM, HUP). Returns the function that removes it. */
  onStopRequest(listener: () => void): () => void
  /** Ends the process at once. */
  exitNow(code: number): void
}

/** Colours text only on a terminal, and not when NO_COLOR is set. */
export function paint(io: Pick<Io, 'env'>, sink: Sink, format: Format): (text: string) => string {
  const colours = sink.isTTY === true && hasColours(io.env)
  return text => (colours ? styleText(format, text, { validateStream: false }) : text)
}

export function hasColours(env: Io['env']): boolean {
  return !env.NO_COLOR && env.TERM !== 'dumb'
}
