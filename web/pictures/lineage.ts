// The sessions of a thread as a picture: each a line from its birth to its last use, a fork leaves the line it was cut from.
import type { Session } from '../../src/core/conversation/session.ts'

export type LineageRow = {
  readonly id: string
  /** Which row, from the top. */
  readonly row: number
  /** The row that it was forked from; `null`: a session of its own. */
  readonly from: number | null
  /** Between 0 and 1 over the life of all. */
  readonly start: number
  readonly end: number
}

type Shown = Pick<Session, 'id' | 'forkedFrom' | 'createdAt' | 'lastMessageAt'>

/** Born first stands first, so a fork stands below what it was cut from. */
export function layoutLineage(sessions: readonly Shown[]): readonly LineageRow[] {
  const ordered = sessions.toSorted((a, b) => a.createdAt - b.createdAt)
  const first = Math.min(...ordered.map(({ createdAt }) => createdAt))
  const last = Math.max(...ordered.map(({ lastMessageAt }) => lastMessageAt))
  const span = Math.max(1, last - first)
  const rows = new Map(ordered.map(({ id }, row) => [id, row]))
  return ordered.map(({ id, forkedFrom, createdAt, lastMessageAt }, row) => ({
    id,
    row,
    from: forkedFrom === null ? null : (rows.get(forkedFrom) ?? null),
    start: (createdAt - first) / span,
    end: Math.max((createdAt - first) / span, (lastMessageAt - first) / span),
  }))
}
