// Times: relative where that is enough, exact in the title, and lengths that grow while something runs.
import { now } from '../data/clock.ts'
import { ago, agoWords, duration, exactTime, momentOf } from '../format.ts'

type TimeProps = { readonly at: number; readonly as?: 'ago' | 'clock' | 'words' }

export function Time({ at, as = 'ago' }: TimeProps) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {as === 'clock'
        ? momentOf(at, now.value)
        : as === 'ago'
          ? ago(at, now.value)
          : agoWords(at, now.value)}
    </time>
  )
}

/** How long since; it counts on until `until` is there. */
export function Elapsed({
  since,
  until = null,
}: {
  readonly since: number
  readonly until?: number | null
}) {
  return <span>{duration(Math.max(0, (until ?? now.value) - since))}</span>
}

/** How long until then: `in 40 s`, then `now`. */
export function Countdown({ to }: { readonly to: number }) {
  const left = to - now.value
  return (
    <time dateTime={new Date(to).toISOString()} title={exactTime(to)}>
      {left <= 0 ? 'now' : `in ${duration(Math.ceil(left / 1_000) * 1_000)}`}
    </time>
  )
}
