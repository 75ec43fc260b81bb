// The names of kept checkpoints in the vault. They sort in the order in which the states of a work tree followed each other.

/** The token of a lease only grows, so what a former holder keeps too late never sorts after what its successor kept. */
export function keptName(token: number, checkpoint: number): string {
  return `${String(token).padStart(15, '0')}.${String(checkpoint).padStart(9, '0')}`
}

export const tokenIn = (name: string) => Number(name.slice(0, 15))

/** The number of the last checkpoint in it; `null` for a name that is not ours. */
export function checkpointIn(name: string): number | null {
  const number = /^\d{15}\.(\d{9})$/.exec(name)?.[1]
  return number === undefined ? null : Number(number)
}

/** The names of kept checkpoints among the objects of their owner, oldest first. */
export function keptAmong(objects: readonly { readonly name: string }[]): readonly string[] {
  return objects.map(({ name }) => name).filter(name => checkpointIn(name) !== null)
}

/** Whether a work tree whose last checkpoint has this name is as new as everything that hosts have kept. */
export function isNewest(kept: string | null, names: readonly string[]): boolean {
  return (kept ?? '') >= (names.at(-1) ?? '')
}

/**
 * The names of kept checkpoints, each with its name in a copy of the thread. The leases of the copy count from 1, so its own
 * checkpoints must sort after these. What a former holder kept too late does not go along.
 */
export function namesForCopy(names: readonly string[]): readonly (readonly [string, string])[] {
  const copied: (readonly [string, string])[] = []
  let before = Number.POSITIVE_INFINITY
  for (const name of names.toReversed()) {
    const number = checkpointIn(name)
    if (number === null || number >= before) continue
    before = number
    copied.unshift([name, keptName(0, number)])
  }
  return copied
}
