// The latest events of all runs, bounded, newest first; they stand still while somebody reads them.
import { useEffect, useRef, useState } from 'preact/hooks'
import { readPage } from '../data/client.ts'
import { type FeedEvent, listWith } from '../pictures/event-list.ts'
import { hearAll } from './live.ts'

export type Feed = {
  readonly events: readonly FeedEvent[]
  /** How many came while it stood still. */
  readonly unseen: number
  readonly isPaused: boolean
  readonly setPaused: (isPaused: boolean) => void
}

/** How many events from before the page was opened are shown. */
const EARLIER = 200

/** Draws at most once per frame, however many events come. */
export function useFeed(): Feed {
  const latest = useRef<readonly FeedEvent[]>([])
  const came = useRef(0)
  const paused = useRef(false)
  const [shown, show] = useState({
    events: latest.current,
    unseen: 0,
    isPaused: false,
  })
  const draw = useRef(() => {})
  draw.current = () => {
    const isPaused = paused.current
    if (!isPaused) came.current = 0
    show(before => ({
      events: isPaused ? before.events : latest.current,
      unseen: came.current,
      isPaused,
    }))
  }
  useEffect(() => {
    let heard: FeedEvent[] = []
    let frame = 0
    const ending = new AbortController()
    readEarlier(ending.signal).then(
      earlier => {
        latest.current = listWith(latest.current, earlier)
        draw.current()
      },
      // The list begins with what is heard; the view says it when the daemon is away.
      () => {},
    )
    const stop = hearAll(event => {
      heard.push(event)
      frame ||= requestAnimationFrame(() => {
        frame = 0
        came.current += heard.length
        latest.current = listWith(latest.current, heard)
        heard = []
        draw.current()
      })
    })
    return () => {
      stop()
      ending.abort()
      cancelAnimationFrame(frame)
    }
  }, [])
  const setPaused = (isPaused: boolean) => {
    paused.current = isPaused
    draw.current()
  }
  return { ...shown, setPaused }
}

/** Without a place, the list is empty and says where the log ends now. */
async function readEarlier(signal: AbortSignal): Promise<readonly FeedEvent[]> {
  const { nextCursor } = await readPage<FeedEvent>('/api/events', { limit: 1 }, signal)
  const after = Math.max(0, Number(nextCursor) - EARLIER)
  return (await readPage<FeedEvent>('/api/events', { after, limit: EARLIER }, signal)).items
}
