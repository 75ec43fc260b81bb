// Lineage: the sessions of a thread as a picture, and what happened to them as a table.
import type { ThreadDetails } from '../../../src/api.ts'
import { reasonWords, retiredWords } from '../../../src/core/decide/explain.ts'
import type { Run } from '../../../src/core/run/run.ts'
import { money, shortCount, shortId } from '../../format.ts'
import { Copy } from '../../parts/copy.tsx'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { type LineageRow, layoutLineage } from '../../pictures/lineage.ts'

type OneSession = ThreadDetails['sessions'][number]

const STEP = 56
const ROW = 72
const MIDDLE = 26

export function Lineage({ thread }: { readonly thread: ThreadDetails }) {
  const { columns, rows } = layoutLineage(thread.sessions, thread.runs)
  if (rows.length === 0) {
    return (
      <Empty icon="sessions" title="No session yet">
        The first turn starts one.
      </Empty>
    )
  }
  const sessions = new Map(thread.sessions.map(session => [session.id, session]))
  const runs = new Map(thread.runs.map(run => [run.id, run]))
  const width = columns.length * STEP
  return (
    <div class="view-scroll">
      <div class="lineage">
        <div class="lineage-picture" tabIndex={0}>
          <svg
            width={width}
            height={rows.length * ROW}
            role="img"
            aria-label={`${rows.length} sessions over ${columns.length} runs`}
          >
            {columns.map((id, column) => (
              <line
                key={id}
                class="lineage-grid"
                x1={xOf(column)}
                x2={xOf(column)}
                y1={0}
                y2={rows.length * ROW}
              />
            ))}
            {rows.map((row, index) => (
              <Line key={row.id} row={row} index={index} runs={runs} />
            ))}
          </svg>
        </div>
        <ol class="lineage-facts">
          {rows.map(row => {
            const session = sessions.get(row.id)
            return session && <SessionFacts key={row.id} session={session} runs={thread.runs} />
          })}
        </ol>
      </div>
      <p class="legend lineage-legend meta">
        <span class="legend-item">
          <span class="stroke same" aria-hidden="true" /> one session, unbroken
        </span>
        <span class="legend-item">
          <span class="stroke fork" aria-hidden="true" /> a fork: a copy, cut where it still agreed
        </span>
      </p>
      <Happenings runs={thread.runs} />
    </div>
  )
}

function xOf(column: number): number {
  return column * STEP + STEP / 2
}

type LineProps = {
  readonly row: LineageRow
  readonly index: number
  readonly runs: ReadonlyMap<string, Run>
}

function Line({ row, index, runs }: LineProps) {
  const y = index * ROW + MIDDLE
  const [first] = row.points
  const last = row.points.at(-1)
  const hue = row.from === null ? 'same' : 'fork'
  if (first === undefined || last === undefined) return null
  return (
    <g class={`lineage-line ${hue}`}>
      {row.from !== null && <path d={curve(row.from, { x: xOf(first.column), y })} />}
      <line x1={xOf(first.column)} x2={xOf(last.column)} y1={y} y2={y} />
      {row.points.map(({ runId, column }) => {
        const action = runs.get(runId)?.decision?.action ?? 'wait'
        return (
          <circle
            key={runId}
            class={action}
            cx={xOf(column)}
            cy={y}
            r={action === 'resume' ? 4 : 7}
          >
            <title>{`${action}, ${shortId(runId)}`}</title>
          </circle>
        )
      })}
    </g>
  )
}

function curve(
  from: { readonly row: number; readonly column: number },
  to: { readonly x: number; readonly y: number },
): string {
  const x = xOf(from.column)
  const y = from.row * ROW + MIDDLE
  return `M${x} ${y}C${x} ${to.y} ${x} ${to.y} ${to.x} ${to.y}`
}

function SessionFacts({
  session,
  runs,
}: {
  readonly session: OneSession
  readonly runs: readonly Run[]
}) {
  const { contextTokens, contextWindow, retiredBecause } = session
  const cost = runs
    .filter(({ sessionId }) => sessionId === session.sessionId)
    .reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
  return (
    <li>
      <p>
        <Copy text={session.sessionId} shown={session.sessionId.slice(0, 8)} />
        <Status status={session.pointer} />
        <Status status={session.state} />
        <span class="muted">{money(cost)}</span>
      </p>
      <p class="meta">
        {session.agent} · {session.messageCount} messages ·{' '}
        {contextTokens === null ? 'context not known' : `${shortCount(contextTokens)} tokens`}
        {contextTokens !== null &&
          contextWindow !== null &&
          `, ${Math.round((contextTokens / contextWindow) * 100)} % of ${shortCount(contextWindow)}`}{' '}
        · <Time at={session.lastMessageAt} />
      </p>
      {retiredBecause && <p class="meta bad">Retired: {retiredWords(retiredBecause)}.</p>}
    </li>
  )
}

function Happenings({ runs }: { readonly runs: readonly Run[] }) {
  return (
    <table class="rows happening-rows">
      <thead>
        <tr>
          <th class="when">When</th>
          <th class="not-on-phones" style={{ width: '104px' }}>
            Session
          </th>
          <th class="what">
            What<span class="not-on-phones"> happened</span>
          </th>
          <th>Why</th>
          <th class="run-id">Run</th>
        </tr>
      </thead>
      <tbody>
        {runs
          .toSorted((a, b) => b.queuedAt - a.queuedAt)
          .map(({ id, queuedAt, sessionId, decision }) => (
            <tr key={id}>
              <td class="muted">
                <Time at={queuedAt} />
              </td>
              <td class="mono not-on-phones">{sessionId?.slice(0, 8)}</td>
              <td>{decision && <DecisionChip action={decision.action} />}</td>
              <td class="why muted">
                {decision && decision.action !== 'resume' && reasonWords(decision.reason)}
              </td>
              <td>
                <a class="row-link mono" href={`?tab=lineage&run=${id}`}>
                  {shortId(id)}
                </a>
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}
