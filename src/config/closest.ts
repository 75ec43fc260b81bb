// "Did you mean": the known word nearest to a mistyped one.

/** `null` when no candidate is near enough to be a likely typing mistake. */
export function closest(word: string, candidates: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(word.length / 3))
  let best: { readonly candidate: string; readonly distance: number } | null = null
  for (const candidate of candidates) {
    const distance = distanceBetween(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && (best === null || distance < best.distance)) {
      best = { candidate, distance }
    }
  }
  return best?.candidate ?? null
}

/** How many letters to add, drop or change to turn one word into the other. */
function distanceBetween(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const current = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = (previous[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      current.push(Math.min(change, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[to.length] ?? 0
}
