// The log of a run, live: what is stored is read once, then each event is added as the page's one stream brings it.
import { useEffect, useState } from 'preact/hooks'
import type { RunEvent } from '../../src/core/run/run-events.ts'
import { reprise } from '../data/client.ts'
import { logWith, NO_LOG, type RunLog } from '../pictures/run-log.ts'
import { hearRun } from './live.ts'
import { listen } from './topics.ts'

const PER_READ = 1_000

/** Draws at most once per frame, however many events come. `null` follows nothing. */
export function useRunLog(runId: string | null): RunLog {
  const [log, show] = useState(NO_LOG)
  useEffect(() => {
    if (runId === null) return
    const follower = new LogFollower(runId, show)
    const stopHearing = hearRun(runId, follower.hear)
    const stopListening = listen([`run:${runId}`], follower.catchUp)
    follower.catchUp()
    return () => {
      stopHearing()
      stopListening()
      follower.end()
    }
  }, [runId])
  return log
}

class LogFollower {
  readonly #runId: string
  readonly #show: (log: RunLog) => void
  #log = NO_LOG
  #heard: RunEvent[] = []
  #frame = 0
  #isReading = false
  #isOver = false

  constructor(runId: string, show: (log: RunLog) => void) {
    this.#runId = runId
    this.#show = show
  }

  readonly hear = (event: RunEvent): void => {
    const next = this.#log.seq + this.#heard.length + 1
    // Events before this one were not heard: they are read from the store, and this one with them.
    if (event.seq > next) {
      this.catchUp()
      return
    }
    this.#heard.push(event)
    this.#drawSoon()
  }

  readonly catchUp = (): void => {
    if (!this.#isReading) void this.#read()
  }

  end(): void {
    this.#isOver = true
    cancelAnimationFrame(this.#frame)
  }

  async #read(): Promise<void> {
    this.#isReading = true
    try {
      for (;;) {
        const events = await reprise.runs.events(this.#runId, this.#log.seq, PER_READ)
        if (this.#isOver) return
        this.#log = logWith(this.#log, events)
        if (events.length < PER_READ) break
      }
      this.#drawSoon()
    } catch {
      // The view says that the daemon is away; the next event or the next connection reads again.
    } finally {
      this.#isReading = false
    }
  }

  #drawSoon(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0
      this.#log = logWith(this.#log, this.#heard)
      this.#heard = []
      this.#show(this.#log)
    })
  }
}
