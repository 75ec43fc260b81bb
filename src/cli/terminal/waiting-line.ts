// Says on the last line of the terminal what a verb is busy with, once a second, where it has no steps to count for a bar.
import type { Io } from '../start/io.ts'
import { SECONDS, type Ticks } from './progress-line.ts'

type Waiting = {
  readonly io: Pick<Io, 'line'>
  /** For example `writing the files of the session`. */
  readonly words: () => string
  readonly ticks?: Ticks
}

/** Does nothing without a terminal. What takes less than a second shows no line at all. */
export async function withWaitingLine<T>(
  { io: { line }, words, ticks = SECONDS }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  if (!line) return work()
  const begun = ticks.now()
  const stop = ticks.everySecond(() => {
    const seconds = Math.round((ticks.now() - begun) / 1_000)
    line.show([{ text: `${words()} ${seconds} s`, look: 'dim' }])
  })
  try {
    return await work()
  } finally {
    stop()
    line.clear()
  }
}
