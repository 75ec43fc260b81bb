// The sessions of a thread over its runs: one unbroken stroke is one session, and its marks say what was decided.
import type { CountedSession } from '../../../src/core/conversation/session.ts'
import type { Run } from '../../../src/core/run/run.ts'
import { shortId } from '../../format.ts'
import { IconMark } from '../../parts/icon.tsx'
import type { LineageRow } from '../../pictures/lineage.ts'

/** As the style says: a row of the table beside it is as high. */
const [STEP, ROW, HEAD] = [64, 64, 32]
const MIDDLE = 24
const RADIUS = 11
const LABEL = 40

type PictureProps = {
  readonly columns: readonly string[]
  readonly rows: readonly LineageRow[]
  readonly sessions: ReadonlyMap<string, CountedSession>
  readonly runs: ReadonlyMap<string, Run>
}

export function LineagePicture({ columns, rows, sessions, runs }: PictureProps) {
  const width = (columns.length + 0.5) * STEP
  const height = HEAD + rows.length * ROW
  return (
    <svg
      width={width}
      height={height}
      role="img"
      aria-label={`${rows.length} sessions over ${columns.length} runs`}
    >
      {columns.map((id, column) => (
        <g key={id} class="lineage-grid">
          <text x={xOf(column)} y={20}>
            {column === 0 ? 'run 1' : column + 1}
          </text>
          <line x1={xOf(column)} x2={xOf(column)} y1={HEAD} y2={height} />
        </g>
      ))}
      {rows.map(({ id }, index) => (
        <line
          key={id}
          class="lineage-row"
          x2={width}
          y1={HEAD + index * ROW - 0.5}
          y2={HEAD + index * ROW - 0.5}
        />
      ))}
      {rows.map((row, index) => (
        <Line key={row.id} row={row} index={index} runs={runs} session={sessions.get(row.id)} />
      ))}
    </svg>
  )
}

function xOf(column: number): number {
  return column * STEP + STEP / 2
}

function yOf(row: number): number {
  return HEAD + row * ROW + MIDDLE
}

type LineProps = {
  readonly row: LineageRow
  readonly index: number
  readonly runs: ReadonlyMap<string, Run>
  readonly session: CountedSession | undefined
}

function Line({ row, index, runs, session }: LineProps) {
  const y = yOf(index)
  const [first] = row.points
  const last = row.points.at(-1)
  if (first === undefined || last === undefined) return null
  return (
    <g class={row.from === null ? 'lineage-line same' : 'lineage-line fork'}>
      {row.from !== null && <path d={curve(row.from, { x: xOf(first.column), y })} />}
      <line x1={xOf(first.column)} x2={xOf(last.column)} y1={y} y2={y} />
      {row.points.map(({ runId, column }) => (
        <Point key={runId} run={runs.get(runId)} x={xOf(column)} y={y} />
      ))}
      {session && <End session={session} x={xOf(last.column)} y={y} />}
    </g>
  )
}

type Place = { readonly x: number; readonly y: number }

function Point({ run, x, y }: Place & { readonly run: Run | undefined }) {
  const action = run?.decision?.action ?? 'wait'
  return (
    <g class={`lineage-point ${action}`} transform={`translate(${x} ${y})`}>
      <title>{`${action}${run ? `, ${shortId(run.id)}` : ''}`}</title>
      <circle r={RADIUS} />
      <IconMark name={action} />
      {action !== 'resume' && <text y={LABEL - MIDDLE + 8}>{action}</text>}
    </g>
  )
}

/** A session that is never used again ends in a cross, one in the archive in a box. */
function End({ session, x, y }: Place & { readonly session: CountedSession }) {
  const isRetired = session.pointer === 'retired'
  if (!isRetired && session.state !== 'archived') return null
  const icon = isRetired ? 'no' : 'archived'
  return (
    <g
      class={isRetired ? 'lineage-end bad' : 'lineage-end muted'}
      transform={`translate(${x + STEP / 2 + 6} ${y})`}
    >
      <line x1={RADIUS - STEP / 2 - 4} x2={-9} y1={0} y2={0} />
      <IconMark name={icon} />
      <text y={LABEL - MIDDLE + 8}>{isRetired ? 'retired' : 'archived'}</text>
    </g>
  )
}

function curve(
  from: { readonly row: number; readonly column: number },
  to: { readonly x: number; readonly y: number },
): string {
  const x = xOf(from.column)
  return `M${x} ${yOf(from.row)}C${x} ${to.y} ${x} ${to.y} ${to.x} ${to.y}`
}
