// Shows a turn on a terminal: the answer as it comes, and one line per tool with how it ended.
import type { AskedCall } from '../../core/conversation/question.ts'
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
  /** Calls that wait for a person. The terminal has shown them; they may end in a later run of the turn. */
  const asked = new Map<string, { readonly kind: AskedCall['kind']; readonly call: string }>()
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
        const waited = asked.get(event.id)
        const call = calls.get(event.id) ?? waited?.call
        if (waited?.kind !== 'question') printLine(resultLine(call, event))
        calls.delete(event.id)
        asked.delete(event.id)
        return
      }
      if (event.type === 'ended') {
        breakLine()
        for (const call of calls.values()) printLine(`? ${call}: it is not known how this ended`)
        calls.clear()
        return
      }
      if (event.type === 'retry') breakLine()
      if (event.type === 'question') {
        const call = calls.get(event.toolUseId) ?? event.tool
        asked.set(event.toolUseId, { kind: event.kind, call })
        calls.delete(event.toolUseId)
      }
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
