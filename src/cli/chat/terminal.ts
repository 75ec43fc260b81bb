// Reads lines from stdin: from a person at a terminal, or from a pipe.
import type { Readable, Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'
import type { Io } from '../start/io.ts'
import { sanitise } from '../view/sanitise.ts'
import type { Completed } from './completer.ts'
import type { History } from './history.ts'
import { listenToTyping, type Typing, type Typist } from './typing.ts'

export type Typed =
  | { readonly kind: 'line'; readonly text: string }
  /** Ctrl-C at the prompt. */
  | { readonly kind: 'interrupt' }
  /** Ctrl-D, or the end of the pipe. */
  | { readonly kind: 'end' }

export type Terminal = {
  /** Shows the prompt and waits for a line. */
  ask(prompt: string): Promise<Typed>
  /** The same for a message: what was queued meanwhile comes first, Tab completes, and earlier messages can be recalled. */
  askMessage(prompt: string): Promise<Typed>
  /** Reads what a person types while an answer runs; `undefined` for a pipe, whose lines wait by themselves. */
  readonly listen?: (on: Pick<Typist, 'interrupted' | 'changed'>) => Typing
  /** Discards what a person typed before a question was shown. A pipe is written in advance on purpose and keeps its lines. */
  forgetTyped(): Promise<void>
  close(): void
}

/** What helps a person to write messages. */
export type MessageHelp = {
  /** Called when a person begins to type a message. */
  readonly begun: () => void
  readonly history: History
  readonly complete: (line: string) => Completed
}

const NO_HELP: MessageHelp = {
  begun: () => {},
  history: { latestFirst: () => [], add: () => {} },
  complete: () => [[], ''],
}

export function openTerminal(io: Io, help: MessageHelp = NO_HELP): Terminal {
  return io.stdin.isTTY === true ? personTerminal(io, help) : pipeTerminal(io)
}

/**
 * Opens a reader for each line and closes it after the line: while a turn runs without `listen`, the terminal is in its normal
 * mode, and Ctrl-C reaches the turn.
 */
function personTerminal(io: Io, { begun: onBegun, history, complete }: MessageHelp): Terminal {
  const queue: Typed[] = []
  let draft = ''
  const queued = () => queue.flatMap(typed => (typed.kind === 'line' ? [typed.text] : []))
  return {
    ask: prompt => readLine(io, { prompt, ...NO_HELP, draft: '' }),
    async askMessage(prompt) {
      const next = queue.shift()
      if (next?.kind === 'line') io.stderr.write(`${prompt}${sanitise(next.text)}\n`)
      if (next) return next
      const begun = draft
      draft = ''
      const typed = await readLine(io, { prompt, begun: onBegun, history, complete, draft: begun })
      if (typed.kind === 'line') history.add(typed.text)
      return typed
    },
    listen(on) {
      const typing = listenToTyping(
        io,
        { draft, history: history.latestFirst(), complete },
        {
          ...on,
          queued,
          enqueue(text) {
            queue.push({ kind: 'line', text })
            history.add(text)
          },
          ended: () => void queue.push({ kind: 'end' }),
        },
      )
      return {
        rows: typing.rows,
        stop() {
          draft = typing.stop()
          return draft
        },
      }
    },
    forgetTyped: () => drain(io.stdin as unknown as ReadStream),
    close() {},
  }
}

type Reading = MessageHelp & { readonly prompt: string; readonly draft: string }

async function readLine(io: Io, reading: Reading): Promise<Typed> {
  const { prompt, draft, begun, history, complete } = reading
  const { createInterface } = await import('node:readline')
  const earlier = history.latestFirst()
  // A terminal is always a real stream.
  const input = io.stdin as unknown as Readable
  const reader = createInterface({
    input,
    output: io.stderr.stream ?? (io.stderr as unknown as Writable),
    history: [...earlier],
    historySize: earlier.length + 100,
    completer: (line: string) => complete(line) as [string[], string],
    prompt,
  })
  const noticeBeginning = (text: string | undefined, key: { readonly ctrl?: boolean }) => {
    if (key.ctrl || !text || text.trim() === '') return
    input.off('keypress', noticeBeginning)
    // A command needs no agent.
    if (text !== '/') begun()
  }
  input.on('keypress', noticeBeginning)
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
    reader.prompt()
    if (draft !== '') reader.write(draft)
  })
  input.off('keypress', noticeBeginning)
  reader.close()
  if (typed.kind !== 'line') io.stderr.write('\n')
  return typed
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
  const ask = async (): Promise<Typed> => {
    const next = await lines.next()
    return next.done === true ? { kind: 'end' } : { kind: 'line', text: next.value }
  }
  return {
    ask,
    askMessage: ask,
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
