// Follows a run on the page's one stream: what is stored so far is read once, then each event is added as it is heard.
import { useEffect, useState } from 'preact/hooks'
import type { RunEvent } from '../../src/core/run/run-events.ts'
import { reprise } from '../data/client.ts'
import { hearRun } from './live.ts'
import { NO_PROGRESS, progressWith, type RunProgress } from './run-progress.ts'
import { listen } from './topics.ts'

const PER_READ = 1_000

/** Draws at most once per frame, however many events come. `null` follows nothing. */
export function useRunProgress(runId: string | null): RunProgress {
  const [shown, show] = useState<{ readonly runId: string | null; readonly progress: RunProgress }>(
    {
      runId: null,
      progress: NO_PROGRESS,
    },
  )
  useEffect(() => {
    if (runId === null) return
    let progress = NO_PROGRESS
    let heard: RunEvent[] = []
    let frame = 0
    let isOver = false
    let isReading = false
    const draw = () => {
      frame = 0
      progress = progressWith(progress, heard)
      heard = []
      show({ runId, progress })
    }
    const drawSoon = () => {
      frame ||= requestAnimationFrame(draw)
    }
    const catchUp = async () => {
      if (isReading) return
      isReading = true
      try {
        for (;;) {
          const events = await reprise.runs.events(runId, progress.seq, PER_READ)
          if (isOver) return
          progress = progressWith(progress, events)
          if (events.length < PER_READ) break
        }
        drawSoon()
      } catch {
        // The view says that the daemon is away; the next event or the next connection reads again.
      } finally {
        isReading = false
      }
    }
    const stopHearing = hearRun(runId, event => {
      heard.push(event)
      const expected = progress.seq + heard.length
      // Events before this one were not heard: they are read from the store.
      if (event.seq > expected) void catchUp()
      else drawSoon()
    })
    const stopListening = listen([`run:${runId}`], () => void catchUp())
    void catchUp()
    return () => {
      isOver = true
      cancelAnimationFrame(frame)
      stopHearing()
      stopListening()
    }
  }, [runId])
  return shown.runId === runId ? shown.progress : NO_PROGRESS
}
