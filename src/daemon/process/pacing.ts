// Admits a few requests per turn of the event loop, so that a thousand at once do not block everything else.

export type Pacing = {
  /** Resolves at once, or at a later turn of the loop when this turn is full. First come, first served. */
  enter(): Promise<void>
}

/** A request that stores a turn takes some milliseconds; a health check waits for at most this many of them. */
const PER_TURN = 4

export function createPacing(): Pacing {
  const waiting: (() => void)[] = []
  let admitted = 0

  const nextTurn = () => {
    admitted = 0
    for (const enter of waiting.splice(0, PER_TURN)) {
      count()
      enter()
    }
  }

  const count = () => {
    if (admitted === 0) setImmediate(nextTurn)
    admitted += 1
  }

  return {
    enter: () => {
      if (admitted >= PER_TURN) return new Promise(resolve => waiting.push(resolve))
      count()
      return Promise.resolve()
    },
  }
}
