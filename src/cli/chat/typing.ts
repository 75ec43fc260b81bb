// What a person types while an answer runs: a line of its own at the bottom of the terminal. Enter queues the message.
import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import type { Io, Row } from '../start/io.ts'
import { clustersOf, columnsOf, widthOf } from '../terminal/width.ts'
import { sanitiseLine } from '../view/sanitise.ts'
import type { Completed } from './completer.ts'

export type Typing = {
  /** The queued messages and the line that is being typed. */
  rows(): readonly Row[]
  /** Stops reading. Gives the line that was not finished. */
  stop(): string
}

export type Typist = {
  /** The messages that wait, for the rows. */
  queued(): readonly string[]
  /** Enter was pressed. */
  enqueue(text: string): void
  /** Ctrl-D: the person wants to leave after the answer. */
  ended(): void
  /** Ctrl-C, which a terminal that is read key by key does not turn into a signal. */
  interrupted(): void
  /** The rows have changed. */
  changed(): void
}

type Reading = {
  readonly draft: string
  readonly history: readonly string[]
  readonly complete: (line: string) => Completed
}

const PROMPT = 'you ▸ '

export function listenToTyping(
  io: Io,
  { draft, history, complete }: Reading,
  typist: Typist,
): Typing {
  // A terminal is always a real stream.
  const input = io.stdin as unknown as Readable
  const reader = createInterface({
    input,
    // The rows show what is typed; the reader itself draws nothing.
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    terminal: true,
    history: [...history],
    historySize: history.length + 100,
    completer: (line: string) => complete(line) as [string[], string],
  })
  let isStopping = false
  const lines: string[] = []
  const changed = () => {
    setImmediate(() => {
      if (!isStopping) typist.changed()
    })
  }
  reader.on('line', line => {
    lines.push(line)
    // Pasted text arrives at once and is one message.
    setImmediate(() => {
      if (isStopping || reader.line !== '' || lines.length === 0) return
      const text = lines.splice(0).join('\n')
      if (text.trim() !== '') typist.enqueue(text)
      typist.changed()
    })
  })
  reader.on('SIGINT', () => typist.interrupted())
  reader.on('close', () => {
    if (!isStopping) typist.ended()
  })
  input.on('keypress', changed)
  if (draft !== '') reader.write(draft)
  return {
    rows: () => [
      ...typist
        .queued()
        .map((text): Row => ({ text: `queued ▸ ${sanitiseLine(text)}`, look: 'dim' })),
      inputRow(sanitiseLine(reader.line), reader.cursor, columnsOf(io.stderr) - 1),
    ],
    stop() {
      isStopping = true
      const rest = [...lines, reader.line].join('\n')
      input.off('keypress', changed)
      reader.close()
      return rest
    },
  }
}

/** A line that is too long is shown from where the cursor is still in view. */
export function inputRow(line: string, cursor: number, columns: number): Row {
  const room = Math.max(1, columns - widthOf(PROMPT) - 1)
  const before = clustersOf(line.slice(0, cursor))
  let from = before.length
  for (let width = 0; from > 0; from -= 1) {
    width += widthOf(before[from - 1] ?? '')
    if (width > room) break
  }
  const shown = before.slice(from).join('')
  const text = `${PROMPT}${shown}${line.slice(cursor)}`
  return { text, cursor: widthOf(PROMPT) + widthOf(shown) }
}
