// Lets a few requests in per turn of the event loop: a thousand at once must not keep the loop from everything else it has to do.

export type Pacing = {
  /** Resolves at once unless enough were let in during this turn of the loop. First come, first served. */
  enter(): Promise<void>
}

/** One request that stores a turn takes some milliseconds; whoever asks for health waits for no more than these. */
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
