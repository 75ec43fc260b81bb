// The latest events of all runs, bounded, newest first; they stand still while somebody reads them.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunEvent } from '../../src/core/run/run-events.ts'
import { hearAll } from './live.ts'

export type Feed = {
  readonly events: readonly RunEvent[]
  /** How many came while it stood still. */
  readonly unseen: number
  readonly isPaused: boolean
  readonly setPaused: (isPaused: boolean) => void
}

const MOST_EVENTS = 500

/** Draws at most once per frame, however many events come. */
export function useFeed(): Feed {
  const latest = useRef<readonly RunEvent[]>([])
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
    let heard: RunEvent[] = []
    let frame = 0
    const stop = hearAll(event => {
      heard.push(event)
      frame ||= requestAnimationFrame(() => {
        frame = 0
        came.current += heard.length
        latest.current = [...heard.toReversed(), ...latest.current].slice(0, MOST_EVENTS)
        heard = []
        draw.current()
      })
    })
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }
  }, [])
  const setPaused = (isPaused: boolean) => {
    paused.current = isPaused
    draw.current()
  }
  return { ...shown, setPaused }
}
