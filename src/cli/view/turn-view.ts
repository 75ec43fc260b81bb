// Shows a turn on a terminal: the answer as it comes, and one line per tool with how it ended.
import type { RunEvent } from '../../core/run/run-events.ts'
import { type Io, paint } from '../start/io.ts'
import { columnsOf, cutToWidth } from '../terminal/width.ts'
import { progressOf } from './event-words.ts'
import { sanitiseLine } from './sanitise.ts'
import { createTextWriter, type TextWriter } from './text-writer.ts'

export type TurnView = Pick<TextWriter, 'breakLine'> & {
  show(event: RunEvent): void
}

export function createTurnView(io: Io, writer: TextWriter = createTextWriter(io)): TurnView {
  const { say, breakLine } = writer
  const dim = paint(io, io.stderr, 'dim')
  const calls = new Map<string, string>()
  const printLine = (line: string): void => {
    breakLine()
    const text = sanitiseLine(line)
    // A log gets the whole line.
    const shown = io.stderr.isTTY ? cutToWidth(text, columnsOf(io.stderr) - 1) : text
    io.stderr.write(`${dim(shown)}\n`)
  }
  return {
    breakLine,
    show(event) {
      if (event.type === 'text') return say(event.text)
      if (event.type === 'tool') {
        breakLine()
        calls.set(event.id, progressOf(event) ?? event.name)
        return
      }
      if (event.type === 'tool-result') {
        printLine(resultLine(calls.get(event.id), event))
        calls.delete(event.id)
        return
      }
      if (event.type === 'ended') {
        breakLine()
        for (const call of calls.values()) printLine(`? ${call}: it is not known how this ended`)
        calls.clear()
        return
      }
      if (event.type === 'retry') breakLine()
      const line = isShownElsewhere(io, event) ? null : progressOf(event)
      if (line !== null) printLine(`▸ ${line}`)
    },
  }
}

/** `ask.ts` shows questions in full to a person; the line at the bottom counts the seconds until the next try. */
function isShownElsewhere({ stdin, line }: Io, { type }: RunEvent): boolean {
  return (type === 'question' && stdin.isTTY === true) || (type === 'retry' && line !== undefined)
}

/** One line: what was called, and how it ended. */
function resultLine(
  call: string | undefined,
  { isError, denied, outcomeUnknown, text }: Extract<RunEvent, { type: 'tool-result' }>,
): string {
  if (outcomeUnknown) return `? ${call ?? 'a call'}: ${text}`
  if (denied) return `⊘ ${call ?? 'a call'}: refused`
  if (isError) return `✗ ${call ?? 'a call'}: ${text}`
  return `✓ ${call ?? 'a call'}`
}
