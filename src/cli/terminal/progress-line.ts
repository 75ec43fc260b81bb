// Shows on the last line of the terminal what is going on, once a second, while nothing else comes.
import type { RunEvent } from '../../core/run/run-events.ts'
import type { Io, Row } from '../start/io.ts'
import { type Progress, progressAfter, progressFrom, progressWords } from './progress.ts'

export type ProgressLine = {
  /** Call it before the event itself is shown. */
  see(event: RunEvent): void
  /** Says something else than the events do. */
  say(progress: Progress): void
  /** Draws it again, because the rows below have changed. */
  redraw(): void
  /** Removes the line and stops. */
  end(): void
}

export type Ticks = {
  now(): number
  /** Calls `act` once a second. Returns the function that stops it. */
  everySecond(act: () => void): () => void
}

export const SECONDS: Ticks = {
  now: () => Date.now(),
  everySecond(act) {
    const timer = setInterval(act, 1_000)
    timer.unref()
    return () => clearInterval(timer)
  },
}

/** Does nothing without a terminal. What takes less than a second shows no line at all. */
export function createProgressLine(
  io: Pick<Io, 'line'>,
  {
    above = () => [],
    below = () => [],
    ticks = SECONDS,
  }: {
    /** Rows over the line. */
    readonly above?: () => readonly Row[]
    /** Rows under the line. */
    readonly below?: () => readonly Row[]
    readonly ticks?: Ticks
  } = {},
): ProgressLine {
  const { line } = io
  const nothing = () => {}
  if (!line) return { see: nothing, say: nothing, redraw: nothing, end: nothing }
  let progress = progressFrom(ticks.now())
  let isShown = false
  let isOver = false
  const redraw = () => {
    if (isOver) return
    const words = isShown ? progressWords(progress, ticks.now()) : null
    const own: readonly Row[] = words === null ? [] : [{ text: words, look: 'dim' }]
    line.show([...above(), ...own, ...below()])
  }
  const stop = ticks.everySecond(() => {
    isShown = true
    redraw()
  })
  redraw()
  const say = (next: Progress) => {
    progress = next
    if (progress.kind === 'silent') isShown = false
    redraw()
  }
  return {
    see: event => say(progressAfter(progress, event)),
    say,
    redraw,
    end() {
      isOver = true
      stop()
      line.clear()
    },
  }
}
