// How often somebody tried without the right token, within a sliding window.

export type FailedAttempts = {
  /** Counts one; tells whether that is too many. */
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
      // Never more than is needed to know: a flood costs no memory.
      times = [...times.filter(time => time > at - windowMs), at].slice(-max - 1)
      return times.length > max
    },
  }
}
