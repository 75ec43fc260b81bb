// What changed in a work dir while no attempt was running: a few lines for the agent, or a reason to stop the job.
import type { Change, Checkpoint, Head, Trouble } from './checkpoint.ts'

export type Drift = {
  readonly was: Head
  readonly now: Head
  /** Changes since the last attempt ended. */
  readonly changes: readonly Change[]
  readonly trouble: Trouble
  /** Changed files that hold conflict markers. */
  readonly marked: readonly string[]
}

const MAX_PATHS = 30

export function driftBetween(
  last: Pick<Checkpoint, 'head'>,
  now: Pick<Checkpoint, 'head'> & Pick<Drift, 'changes' | 'trouble' | 'marked'>,
): Drift {
  const { changes, trouble, marked } = now
  return { was: last.head, now: now.head, changes, trouble, marked }
}

/** Why the job must wait for a person; `null` when it may continue. */
export function conflictIn({ trouble, marked }: Drift): string | null {
  const paths = [...new Set([...trouble.unmerged, ...marked])]
  if (paths.length === 0) return null
  const during = trouble.operation ? ` in the middle of a ${trouble.operation}` : ''
  return `unresolved conflicts${during} in ${listed(paths, 5)}`
}

/** For the agent; `null` when nothing has changed. */
export function driftBrief(drift: Drift): string | null {
  const lines = [...headLines(drift), ...changeLines(drift.changes)]
  if (drift.trouble.operation) lines.push(`A ${drift.trouble.operation} is under way.`)
  return lines.length === 0 ? null : lines.join('\n')
}

function headLines({ was, now }: Drift): readonly string[] {
  const lines: string[] = []
  if (was.branch !== now.branch) {
    lines.push(`The branch is now ${named(now.branch)}; it was ${named(was.branch)}.`)
  }
  if (was.commit !== now.commit) {
    lines.push(`HEAD is now at ${short(now.commit)}; it was at ${short(was.commit)}.`)
  }
  return lines
}

function changeLines(changes: readonly Change[]): readonly string[] {
  if (changes.length === 0) return []
  const shown = changes.slice(0, MAX_PATHS).map(({ status, path }) => `${status} ${quoted(path)}`)
  const rest = changes.length - shown.length
  const more = rest > 0 ? [`and ${rest} more`] : []
  return ['Files that somebody else changed:', ...shown, ...more]
}

const named = (branch: string | null) => (branch === null ? 'none (detached)' : quoted(branch))
const short = (commit: string | null) => commit?.slice(0, 12) ?? 'no commit'

/** A name may hold newlines and look like anything. */
const quoted = (name: string) => (/^[\w./@+-]+$/.test(name) ? name : JSON.stringify(name))

function listed(paths: readonly string[], max: number): string {
  const shown = paths.slice(0, max).map(quoted).join(', ')
  return paths.length > max ? `${shown} and ${paths.length - max} more` : shown
}

/** Whether all three marks are there, each at the start of a line. */
export function holdsConflictMarkers(text: string): boolean {
  return /^<{7} /m.test(text) && /^={7}$/m.test(text) && /^>{7} /m.test(text)
}
