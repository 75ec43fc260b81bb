// Writes the agent's text to stdout as it comes, sanitised; it knows whether a line is open.
import type { Io } from '../start/io.ts'
import { createSanitiser } from './sanitise.ts'

export type TextWriter = {
  say(piece: string): void
  /** Ends an open line, so that the next output begins on its own line. */
  breakLine(): void
}

export function createTextWriter(io: Pick<Io, 'stdout'>): TextWriter {
  const sanitiser = createSanitiser()
  let atLineStart = true
  const write = (text: string): void => {
    if (text === '') return
    io.stdout.write(text)
    atLineStart = text.endsWith('\n')
  }
  return {
    say: piece => write(sanitiser.push(piece)),
    breakLine() {
      write(sanitiser.end())
      if (!atLineStart) write('\n')
    },
  }
}
