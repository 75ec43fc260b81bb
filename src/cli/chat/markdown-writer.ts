// Writes an answer as rendered Markdown: whole lines on stdout, and what has begun as rows at the bottom of the terminal.
import { hasColours, type Io, type Row } from '../start/io.ts'
import { columnsOf } from '../terminal/width.ts'
import { createSanitiser } from '../view/sanitise.ts'
import { createTextWriter, type TextWriter } from '../view/text-writer.ts'
import { createMarkdown } from './markdown.ts'

export type AnswerWriter = TextWriter & {
  /** The rows of what has begun. */
  begun(): readonly Row[]
}

/** More would not leave room for what was said before. */
const MOST_ROWS = 12

/** Where the answer does not go to a terminal, it stays as it is. */
export function createAnswerWriter(io: Io): AnswerWriter {
  if (!io.line || !io.stdout.isTTY) return { ...createTextWriter(io), begun: () => [] }
  const sanitiser = createSanitiser()
  const colours = hasColours(io.env)
  const markdown = createMarkdown(() => ({ width: columnsOf(io.stdout) - 1, colours }))
  return {
    say: piece => void io.stdout.write(markdown.push(sanitiser.push(piece))),
    breakLine() {
      io.stdout.write(markdown.push(sanitiser.end()) + markdown.end())
    },
    begun: () =>
      markdown
        .begun()
        .slice(-MOST_ROWS)
        .map(text => ({ text })),
  }
}
