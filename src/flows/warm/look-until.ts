// Looks again and again at something that is true soon, or not at all.
import type { Clock } from '../../core/world.ts'
import type { LiveAgent } from './live-agent.ts'

const LOOK_MS = 5
/** How often Reprise looks for processes that the agent itself starts for a moment, such as git. */
const LOOKS_FOR_OTHERS = 20

export type Looking = {
  readonly clock: Clock
  readonly maxLooks: number
  /** Nobody needs the answer any more. */
  readonly isOver?: () => boolean
}

/** Gives what a look has found; `null` when all looks were in vain. */
export async function lookUntil<Found>(
  { clock, maxLooks, isOver }: Looking,
  look: () => Promise<Found | null> | Found | null,
): Promise<Found | null> {
  for (let looks = 0; looks < maxLooks && isOver?.() !== true; looks += 1) {
    if (looks > 0) await clock.sleep(LOOK_MS)
    const found = await look()
    if (found !== null) return found
  }
  return null
}

/** Whether the agent has no other process, now or in a moment. What was seen last is in `live.lastLook`. */
export async function isAloneSoon(
  live: LiveAgent,
  { how, ...looking }: Omit<Looking, 'maxLooks'> & { readonly how?: 'quickly' },
): Promise<boolean> {
  const seen = await lookUntil({ ...looking, maxLooks: LOOKS_FOR_OTHERS }, () => {
    const look = live.look(how)
    return look === null || look.others === 0 ? { look } : null
  })
  return seen !== null && seen.look !== null
}
