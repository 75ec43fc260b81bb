// Which of the kept processes have to go: the late ones, and the least recently used of what is too much.
import { BYTES_PER_MB, type WarmSettings } from './warm-settings.ts'

export type KeptFacts = {
  readonly startedAt: number
  readonly restsSince: number
  readonly memoryBytes: number
}

export function whichToEnd<Kept extends KeptFacts>(
  kept: readonly Kept[],
  settings: WarmSettings,
  now: number,
): readonly Kept[] {
  const latestFirst = kept.toSorted((a, b) => b.restsSince - a.restsSince)
  const ending: Kept[] = []
  let processes = 0
  let memoryBytes = 0
  let isFull = false
  for (const one of latestFirst) {
    const isLate = endsAt(one, settings) <= now
    // Once one does not fit, no older one stays in its place.
    isFull ||=
      !isLate &&
      (processes + 1 > settings.max ||
        memoryBytes + one.memoryBytes > settings.maxRssMb * BYTES_PER_MB)
    if (isLate || isFull) {
      ending.push(one)
      continue
    }
    processes += 1
    memoryBytes += one.memoryBytes
  }
  return ending
}

/** When it has waited for too long, or is too old. */
export function endsAt({ startedAt, restsSince }: KeptFacts, settings: WarmSettings): number {
  return Math.min(restsSince + settings.idleMs, startedAt + settings.maxAgeMs)
}
