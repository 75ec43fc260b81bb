// Lineage: the sessions of a thread as a picture, and what happened to them as a table.
import type { ThreadDetails } from '../../../src/api.ts'
import { EVIDENCE_WORDS } from '../../../src/core/conversation/session.ts'
import { reasonWords, retiredWords, shortOf } from '../../../src/core/decide/explain.ts'
import type { Run } from '../../../src/core/run/run.ts'
import { sentence } from '../../data/act.ts'
import { counted, money, shortCount, shortId } from '../../format.ts'
import { Copy } from '../../parts/copy.tsx'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { layoutLineage } from '../../pictures/lineage.ts'
import { LineagePicture } from './lineage-picture.tsx'

type OneSession = ThreadDetails['sessions'][number]

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
  return (
    <div class="view-scroll">
      <div class="lineage">
        <div class="lineage-picture" tabIndex={0}>
          <LineagePicture columns={columns} rows={rows} sessions={sessions} runs={runs} />
        </div>
        <table class="lineage-facts">
          <thead>
            <tr>
              <th>Session</th>
              <th>State, context</th>
              <th class="number">Cost</th>
              <th>Evidence</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id }) => {
              const session = sessions.get(id)
              const parent = sessions.get(session?.forkedFrom ?? '')
              return (
                session && (
                  <SessionFacts key={id} session={session} parent={parent} runs={thread.runs} />
                )
              )
            })}
          </tbody>
        </table>
      </div>
      <p class="legend">
        <span>
          <i class="stroke same" /> one session, unbroken
        </span>
        <span>
          <i class="stroke fork" /> a fork: a copy, cut where it still agreed
        </span>
        <span>A mark is a run; its icon says how the run continued.</span>
      </p>
      <Happenings runs={thread.runs} />
    </div>
  )
}

type FactsProps = {
  readonly session: OneSession
  /** What it was forked from. */
  readonly parent: OneSession | undefined
  readonly runs: readonly Run[]
}

function SessionFacts({ session, parent, runs }: FactsProps) {
  const { sessionId, agent, pointer, state } = session
  const cost = runs
    .filter(run => run.sessionId === sessionId)
    .reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
  return (
    <tr>
      <td>
        <Copy text={sessionId} shown={sessionId.slice(0, 8)} />
        <span class="meta">{agent}</span>
      </td>
      <td>
        <Status status={pointer !== 'retired' && state === 'archived' ? state : pointer} />
        <ContextFill session={session} />
      </td>
      <td class="number">{money(cost)}</td>
      <td class="meta">
        {parent && `Fork of ${parent.sessionId.slice(0, 8)}. `}
        {evidenceOf(session)}
      </td>
    </tr>
  )
}

function ContextFill({ session: { contextTokens, contextWindow } }: Pick<FactsProps, 'session'>) {
  if (contextTokens === null) return <span class="meta">context not known</span>
  if (contextWindow === null) return <span class="meta">{shortCount(contextTokens)} tokens</span>
  const percent = Math.min(100, Math.round((contextTokens / contextWindow) * 100))
  return (
    <span class="meta context-fill">
      <span class="context-bar" aria-hidden="true">
        <span style={{ width: `${percent}%` }} />
      </span>
      {percent} % of {shortCount(contextWindow)}
    </span>
  )
}

/** What proves that the agent has the session, or why it is not used any more. */
function evidenceOf({ retiredBecause, evidence, messageCount }: OneSession): string {
  const messages = counted(messageCount, 'message')
  if (retiredBecause !== null) return `${sentence(retiredWords(retiredBecause))} ${messages}.`
  if (evidence === null) return `${messages}; the agent has not shown yet that it saved them.`
  return `${messages}; ${EVIDENCE_WORDS[evidence]}.`
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
                <Time at={queuedAt} as="clock" />
              </td>
              <td class="mono not-on-phones">{sessionId?.slice(0, 8)}</td>
              <td>{decision && <DecisionChip action={decision.action} />}</td>
              <td
                class="why muted"
                title={decision && 'reason' in decision ? reasonWords(decision.reason) : undefined}
              >
                {decision && shortOf(decision)}
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
