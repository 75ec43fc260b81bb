// Reads lines from stdin: from a person at a terminal, or from a pipe.
import type { Readable, Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'
import type { Io } from '../start/io.ts'

export type Typed =
  | { readonly kind: 'line'; readonly text: string }
  /** Ctrl-C at the prompt. */
  | { readonly kind: 'interrupt' }
  /** Ctrl-D, or the end of the pipe. */
  | { readonly kind: 'end' }

export type Terminal = {
  /** Shows the prompt and waits for a line. */
  ask(prompt: string): Promise<Typed>
  /** Discards what a person typed before a question was shown. A pipe is written in advance on purpose and keeps its lines. */
  forgetTyped(): Promise<void>
  close(): void
}

export function openTerminal(io: Io): Terminal {
  return io.stdin.isTTY === true ? personTerminal(io) : pipeTerminal(io)
}

/**
 * Opens a reader for each line and closes it after the line: while a turn runs, the terminal is in its normal mode, and Ctrl-C
 * reaches the turn.
 */
function personTerminal(io: Io): Terminal {
  let history: string[] = []
  return {
    async ask(prompt) {
      const { createInterface } = await import('node:readline')
      const reader = createInterface({
        // A terminal is always a real stream.
        input: io.stdin as unknown as Readable,
        output: io.stderr.stream ?? (io.stderr as unknown as Writable),
        history: [...history],
        historySize: 200,
        prompt,
      })
      const typed = await new Promise<Typed>(resolve => {
        const lines: string[] = []
        reader.on('line', line => {
          lines.push(line)
          // Pasted text arrives at once and is one message, with the text after its last line break.
          setImmediate(() => {
            if (reader.line === '') resolve({ kind: 'line', text: lines.join('\n') })
          })
        })
        reader.on('SIGINT', () => resolve({ kind: 'interrupt' }))
        reader.on('close', () => resolve({ kind: 'end' }))
        reader.on('history', lines => {
          history = [...lines]
        })
        reader.prompt()
      })
      reader.close()
      if (typed.kind !== 'line') io.stderr.write('\n')
      return typed
    },
    forgetTyped: () => drain(io.stdin as unknown as ReadStream),
    close() {},
  }
}

const DRAIN_MS = 50

/** Needs raw mode: otherwise the terminal keeps back an unfinished line. */
async function drain(stdin: ReadStream): Promise<void> {
  const drop = () => {}
  stdin.setRawMode(true)
  stdin.on('data', drop)
  stdin.resume()
  await new Promise(resolve => setTimeout(resolve, DRAIN_MS))
  stdin.off('data', drop)
  stdin.pause()
  stdin.setRawMode(false)
}

function pipeTerminal(io: Io): Terminal {
  const lines = linesOf(io.stdin)
  return {
    async ask() {
      const next = await lines.next()
      return next.done === true ? { kind: 'end' } : { kind: 'line', text: next.value }
    },
    forgetTyped: async () => {},
    close() {
      // Nobody reads the rest of the pipe, so an error of it does not matter.
      lines.return().catch(() => {})
    },
  }
}

async function* linesOf(source: Io['stdin']): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of source) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  if (rest !== '') yield rest
}
