// Tells an agent what changed in its work dir since its session was last used: HEAD, and files that the conversation names.

export type SinceAsleep = {
  /** `null`: HEAD is where it was, or nobody knows. */
  readonly head: { readonly was: string; readonly now: string } | null
  readonly changed: readonly string[]
  readonly gone: readonly string[]
}

const MOST_PATHS = 10

/** `null` when nothing changed. */
export function sinceAsleepBrief({ head, changed, gone }: SinceAsleep): string | null {
  const lines = [
    ...(head ? [`- HEAD is now at ${short(head.now)}; it was at ${short(head.was)}.`] : []),
    ...(changed.length > 0 ? [`- Changed: ${listed(changed)}.`] : []),
    ...(gone.length > 0 ? [`- Gone: ${listed(gone)}.`] : []),
  ]
  if (lines.length === 0) return null
  return `Since you last spoke, this changed in your work dir:\n${lines.join('\n')}\nWhat you know of it is out of date.`
}

/** A line of git's own log of HEAD: both commits, who, when, and what happened. */
const REF_LINE =
  /^(?<was>[0-9a-f]{40,64}) (?<now>[0-9a-f]{40,64}) .*> (?<seconds>\d+) [+-]\d{4}(?:\t|$)/

/** Where HEAD was before the first change after this time, and where it is now. */
export function headSince(log: string, sinceMs: number): SinceAsleep['head'] {
  const moves = log.split('\n').flatMap(line => {
    const { was, now, seconds } = REF_LINE.exec(line)?.groups ?? {}
    // Git counts in seconds: what happened in the same one may have been the session itself.
    const isLater = Math.floor(Number(seconds)) > Math.floor(sinceMs / 1000)
    return was && now && isLater ? [{ was, now }] : []
  })
  const [first, last] = [moves[0], moves.at(-1)]
  return first && last && first.was !== last.now ? { was: first.was, now: last.now } : null
}

/** The files that inputs of calls name in one of these fields, the latest last. Stored inputs may be cut off. */
export function namedFiles(
  inputs: readonly string[],
  fields: ReadonlySet<string>,
): readonly string[] {
  const paths = inputs.flatMap(input =>
    [...fields].flatMap(field => {
      const found = new RegExp(`"${field}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(input)?.[1]
      return found === undefined ? [] : (textOf(found) ?? [])
    }),
  )
  return [...new Set(paths.toReversed())].toReversed()
}

function textOf(json: string): string | null {
  try {
    return String(JSON.parse(json))
  } catch {
    // A text with an impossible escape was not written by an agent's own JSON encoder.
    return null
  }
}

const short = (commit: string) => commit.slice(0, 12)

/** A name may hold newlines and look like anything. */
const quoted = (name: string) => (/^[\w./@+-]+$/.test(name) ? name : JSON.stringify(name))

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, MOST_PATHS).map(quoted).join(', ')
  return paths.length > MOST_PATHS ? `${shown} and ${paths.length - MOST_PATHS} more` : shown
}
