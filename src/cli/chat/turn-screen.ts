// The bottom of the terminal while a turn of a chat runs: the line that is coming, what is going on, what is queued and typed.
import type { RunEvent } from '../../core/run/run-events.ts'
import type { Io } from '../start/io.ts'
import { createProgressLine } from '../terminal/progress-line.ts'
import { type AnswerWriter, createAnswerWriter } from './markdown-writer.ts'
import type { Terminal } from './terminal.ts'

export type TurnScreen = {
  /** For the listener of stop requests: Ctrl-C on the keyboard is one, too. */
  readonly io: Io
  readonly writer: AnswerWriter
  /** Call it before the event itself is shown. */
  see(event: RunEvent): void
  redraw(): void
  /** Leaves the terminal to a question. */
  pause(): void
  goOn(): void
  /** Removes everything and stops reading. What was typed stays with the terminal. */
  end(): void
}

export function openTurnScreen(io: Io, terminal: Terminal): TurnScreen {
  const listeners = new Set<() => void>()
  const writer = createAnswerWriter(io)
  const on = {
    interrupted() {
      for (const listener of listeners) listener()
    },
    changed: () => screen.redraw(),
  }
  // Without a line at the bottom there is no place for what is typed.
  const listen = io.line ? terminal.listen : undefined
  let typing = listen?.(on)
  const open = () =>
    createProgressLine(io, { above: writer.begun, below: () => typing?.rows() ?? [] })
  let progress = open()
  const stop = () => {
    typing?.stop()
    typing = undefined
    progress.end()
  }
  const screen: TurnScreen = {
    io: {
      ...io,
      onStopRequest(listener) {
        listeners.add(listener)
        const off = io.onStopRequest(listener)
        return () => {
          listeners.delete(listener)
          off()
        }
      },
    },
    writer,
    see: event => progress.see(event),
    redraw: () => progress.redraw(),
    pause: stop,
    goOn() {
      typing = listen?.(on)
      progress = open()
    },
    end: stop,
  }
  return screen
}
