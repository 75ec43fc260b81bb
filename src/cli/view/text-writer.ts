// The agent's words on stdout as they come, harmless to a terminal, and always able to begin a new line.
import type { Io } from '../start/io.ts'
import { createSanitiser } from './sanitise.ts'

export type TextWriter = {
  say(piece: string): void
  /** Whatever comes next stands at the beginning of a line. */
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
