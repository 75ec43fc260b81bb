// Draws only the rows of a long table that are in view: ten thousand rows take as long as fifty.
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type RowWindow, windowOf } from '../pictures/row-window.ts'

/** `body` goes on the tbody; rows before `first` and from `end` on are replaced by a gap of their height. */
export function useWindow(
  total: number,
  rowHeight: number,
): RowWindow & { readonly body: RefObject<HTMLTableSectionElement | null> } {
  const body = useRef<HTMLTableSectionElement>(null)
  const [place, setPlace] = useState({ above: 0, height: 1_000 })
  useLayoutEffect(() => {
    const box = body.current?.closest('.view-scroll')
    if (!box) return
    let frame = 0
    const look = () => {
      frame = 0
      const above = Math.max(0, box.scrollTop - (body.current?.offsetTop ?? 0))
      setPlace({ above, height: box.clientHeight })
    }
    const soon = () => {
      frame ||= requestAnimationFrame(look)
    }
    box.addEventListener('scroll', soon, { passive: true })
    // It also reports the size that the box has now, after the first rows are laid out: asking here would lay them out twice.
    const size = new ResizeObserver(soon)
    size.observe(box)
    return () => {
      cancelAnimationFrame(frame)
      box.removeEventListener('scroll', soon)
      size.disconnect()
    }
  }, [])
  return { body, ...windowOf({ total, rowHeight, ...place }) }
}
