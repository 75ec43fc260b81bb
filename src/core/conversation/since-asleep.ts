// Tells an agent what changed since its session was last used: HEAD, files that the conversation names, its tools, its own program.

export type SinceAsleep = {
  /** `null`: HEAD is where it was, or nobody knows. */
  readonly head: { readonly was: string; readonly now: string } | null
  readonly changed: readonly string[]
  readonly gone: readonly string[]
  /** Rules about tools, as the run before had them and as this one has them. */
  readonly tools?: { readonly was: ToolRules; readonly now: ToolRules }
  /** Fingerprints of the agent's program. */
  readonly runtime?: { readonly was: string; readonly now: string }
}

export type ToolRules = {
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
}

const MOST_PATHS = 10

/** `null` when nothing changed. */
export function sinceAsleepBrief(since: SinceAsleep): string | null {
  const lines = [...inWorkDir(since), ...aroundIt(since)]
  if (lines.length === 0) return null
  return `Since you last spoke, this changed${isOfWorkDir(since) ? ' in your work dir' : ''}:\n${lines.join('\n')}\nWhat you know of it is out of date.`
}

function inWorkDir({ head, changed, gone }: SinceAsleep): readonly string[] {
  return [
    ...(head ? [`- HEAD is now at ${short(head.now)}; it was at ${short(head.was)}.`] : []),
    ...(changed.length > 0 ? [`- Changed: ${listed(changed)}.`] : []),
    ...(gone.length > 0 ? [`- Gone: ${listed(gone)}.`] : []),
  ]
}

function isOfWorkDir(since: SinceAsleep): boolean {
  return aroundIt(since).length === 0
}

/** What changed about the agent itself. */
function aroundIt({ tools, runtime }: SinceAsleep): readonly string[] {
  const [was, now] = [runtime?.was, runtime?.now].map(text => versionIn(text ?? ''))
  const isOther = was && now && was !== now
  const { was: before, now: after } = tools ?? {}
  return [
    ...(isOther ? [`- Your program is now version ${now}; it was ${was}.`] : []),
    ...(before && after ? toolLines(before, after) : []),
  ]
}

function toolLines(was: ToolRules, now: ToolRules): readonly string[] {
  const line = (words: string, more: readonly string[], less: readonly string[]) => {
    const found = more.filter(rule => !less.includes(rule))
    return found.length > 0 ? [`- ${words}: ${listed(found)}.`] : []
  }
  return [
    ...line('Forbidden tools now', now.disallowedTools, was.disallowedTools),
    ...line('Tools that are no longer forbidden', was.disallowedTools, now.disallowedTools),
    ...line('Tools you may now use without asking', now.allowedTools, was.allowedTools),
    ...line('Tools you may no longer use without asking', was.allowedTools, now.allowedTools),
  ]
}

/** A fingerprint is a path, a version and abilities in parentheses. */
function versionIn(fingerprint: string): string | null {
  return / (\S+) \([^()]*\)$/.exec(fingerprint)?.[1] ?? null
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
