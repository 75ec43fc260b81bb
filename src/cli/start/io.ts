// What a verb may touch of the process: streams, environment, directory. Tests hand in their own.
import { styleText } from 'node:util'

export type Sink = {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export type Source = AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean }

export type Io = {
  readonly stdin: Source
  /** The result. */
  readonly stdout: Sink
  /** The talk. */
  readonly stderr: Sink
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Calls back on each request to stop (Ctrl-C, TERM, HUP); gives the function that ends listening. */
  onStopRequest(listener: () => void): () => void
  /** Ends the process at once. */
  exitNow(code: number): void
}

type Format = Parameters<typeof styleText>[0]

/** Colours only for people: on a terminal, and not when NO_COLOR is set. */
export function paint(io: Io, sink: Sink, format: Format): (text: string) => string {
  const colours = sink.isTTY === true && !io.env.NO_COLOR && io.env.TERM !== 'dumb'
  return text => (colours ? styleText(format, text, { validateStream: false }) : text)
}
