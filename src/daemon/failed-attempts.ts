// Counts requests with a wrong token within a sliding window.

export type FailedAttempts = {
  /** Counts one attempt and returns whether there are too many. */
  count(): boolean
}

export function failedAttempts(options: {
  readonly max: number
  readonly windowMs: number
  readonly now: () => number
}): FailedAttempts {
  const { max, windowMs, now } = options
  let times: readonly number[] = []
  return {
    count() {
      const at = now()
      // Keeps no more times than the comparison needs, so a flood costs no memory.
      times = [...times.filter(time => time > at - windowMs), at].slice(-max - 1)
      return times.length > max
    },
  }
}
