// The sessions of a thread over its runs: each session is a row, each run a point on it; a fork leaves the line it was cut from.
import type { Session } from '../../src/core/conversation/session.ts'
import type { Run } from '../../src/core/run/run.ts'

export type LineagePoint = { readonly runId: string; readonly column: number }

export type LineageRow = {
  /** Our id of the session. */
  readonly id: string
  readonly points: readonly LineagePoint[]
  /** Where the line of a fork leaves: the row and the last point there before the fork; `null`: a session of its own. */
  readonly from: { readonly row: number; readonly column: number } | null
}

type ShownSession = Pick<Session, 'id' | 'sessionId' | 'agent' | 'forkedFrom' | 'createdAt'>
type ShownRun = Pick<Run, 'id' | 'sessionId' | 'agent' | 'queuedAt'>

/** Born first stands first, so a fork stands below what it was cut from. */
export function layoutLineage(
  sessions: readonly ShownSession[],
  runs: readonly ShownRun[],
): { readonly columns: readonly string[]; readonly rows: readonly LineageRow[] } {
  const columns = runs.toSorted((a, b) => a.queuedAt - b.queuedAt)
  const ordered = sessions.toSorted((a, b) => a.createdAt - b.createdAt)
  const rows: LineageRow[] = []
  for (const session of ordered) {
    const points = columns.flatMap(({ id, sessionId, agent }, column) =>
      sessionId === session.sessionId && agent === session.agent ? [{ runId: id, column }] : [],
    )
    rows.push({ id: session.id, points, from: placeOfFork(session, points, { ordered, rows }) })
  }
  return { columns: columns.map(({ id }) => id), rows }
}

function placeOfFork(
  { forkedFrom }: ShownSession,
  [first]: readonly LineagePoint[],
  {
    ordered,
    rows,
  }: { readonly ordered: readonly ShownSession[]; readonly rows: readonly LineageRow[] },
): LineageRow['from'] {
  const row = ordered.findIndex(({ id }) => id === forkedFrom)
  const before = rows[row]?.points.findLast(
    ({ column }) => first === undefined || column < first.column,
  )
  return before === undefined ? null : { row, column: before.column }
}
