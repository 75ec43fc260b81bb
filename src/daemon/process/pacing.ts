// Admits a few requests per turn of the event loop, so that a thousand at once do not block everything else.

export type Pacing = {
  /** Resolves at once, or at a later turn of the loop when this turn is full. First come, first served. */
  enter(): Promise<void>
}

/** A request that stores a turn takes some milliseconds; a health check waits for at most this many of them. */
const PER_TURN = 4

export function createPacing(): Pacing {
  const waiting: (() => void)[] = []
  let letIn = 0

  const nextTurn = () => {
    letIn = 0
    for (const enter of waiting.splice(0, PER_TURN)) {
      count()
      enter()
    }
  }

  const count = () => {
    if (letIn === 0) setImmediate(nextTurn)
    letIn += 1
  }

  return {
    enter: () => {
      if (letIn >= PER_TURN) return new Promise(resolve => waiting.push(resolve))
      count()
      return Promise.resolve()
    },
  }
}
