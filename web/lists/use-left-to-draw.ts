// Draws a long page in steps, one per frame: all at once would keep the page from answering.
import { useEffect, useState } from 'preact/hooks'

/** How many of the things that were there at first are not drawn yet: each frame draws `perFrame` of them. */
export function useLeftToDraw(total: number, perFrame: number): number {
  const [left, setLeft] = useState(Math.max(0, total - perFrame))
  useEffect(() => {
    if (left === 0) return
    const frame = requestAnimationFrame(() => setLeft(Math.max(0, left - perFrame)))
    return () => cancelAnimationFrame(frame)
  }, [left, perFrame])
  return left
}
