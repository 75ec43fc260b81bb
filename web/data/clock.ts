// The time that relative times are counted from. It moves in steps, so that a page does not redraw all the time.
import { signal } from '@preact/signals'

const STEP_MS = 1_000

export const now = signal(Date.now())

/** A hidden page needs no time. */
export function startClock(): void {
  setInterval(() => {
    if (document.visibilityState === 'visible') now.value = Date.now()
  }, STEP_MS)
}
