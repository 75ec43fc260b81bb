// Shows a turn in a chat: the answer as it comes, and one line per tool with how it ended.
import type { RunEvent } from '../../core/run/run-events.ts'
import { type Io, paint } from '../start/io.ts'
import { cut } from '../view/print.ts'
import { sanitiseLine } from '../view/sanitise.ts'
import { progressOf } from '../view/stream-turn.ts'
import { createTextWriter, type TextWriter } from '../view/text-writer.ts'

export type TurnView = Pick<TextWriter, 'breakLine'> & {
  show(event: RunEvent): void
}

export function createTurnView(io: Io): TurnView {
  const { say, breakLine } = createTextWriter(io)
  const dim = paint(io, io.stderr, 'dim')
  const calls = new Map<string, string>()
  const printLine = (line: string): void => {
    breakLine()
    io.stderr.write(`${dim(cut(sanitiseLine(line), (io.stderr.columns ?? 100) - 1))}\n`)
  }
  return {
    breakLine,
    show(event) {
      if (event.type === 'text') return say(event.text)
      if (event.type === 'tool') {
        calls.set(event.id, progressOf(event) ?? event.name)
        return
      }
      if (event.type === 'tool-result') return printLine(resultLine(calls.get(event.id), event))
      // `ask.ts` shows questions in full.
      const line = event.type === 'question' ? null : progressOf(event)
      if (line !== null) printLine(`▸ ${line}`)
    },
  }
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
