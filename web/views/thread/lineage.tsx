// Lineage: the sessions of a thread, when each was born, resumed, forked and retired, with how full it is and what it cost.
import type { ThreadDetails } from '../../../src/api.ts'
import { retiredWords } from '../../../src/core/decide/explain.ts'
import { count, duration } from '../../format.ts'
import { CopyId } from '../../parts/copy.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { type LineageRow, layoutLineage } from '../../pictures/lineage.ts'

type OneSession = ThreadDetails['sessions'][number]

export function Lineage({ thread }: { readonly thread: ThreadDetails }) {
  const rows = layoutLineage(thread.sessions)
  const byId = new Map(thread.sessions.map(session => [session.id, session]))
  if (rows.length === 0) {
    return (
      <Empty icon="sessions" title="No session yet">
        The first turn starts one.
      </Empty>
    )
  }
  return (
    <div class="view-scroll lineage">
      <ol>
        {rows.map(row => {
          const session = byId.get(row.id)
          return session && <SessionRow key={row.id} row={row} session={session} />
        })}
      </ol>
      <p class="meta legend">
        <span class="stroke same" /> one session <span class="stroke fork" /> a fork: a copy, cut
        where it still agreed
      </p>
    </div>
  )
}

function SessionRow({ row, session }: { readonly row: LineageRow; readonly session: OneSession }) {
  const { contextTokens, contextWindow, retiredBecause } = session
  const isFork = row.from !== null
  return (
    <li class="session-row">
      <div class="session-life" aria-hidden="true">
        <span
          class={isFork ? 'life fork' : 'life same'}
          style={{
            left: `${row.start * 100}%`,
            width: `${Math.max(1, (row.end - row.start) * 100)}%`,
          }}
        />
      </div>
      <div class="session-facts">
        <p>
          <CopyId id={session.sessionId} /> <Status status={session.pointer} />{' '}
          <Status status={session.state} />
          {isFork && <span class="fork"> forked from session {(row.from ?? 0) + 1}</span>}
        </p>
        <p class="meta">
          {session.agent}
          {session.model && ` · ${session.model}`} · {session.turnCount} turns ·{' '}
          {contextTokens === null ? 'context not known' : `${count(contextTokens)} tokens`}
          {contextTokens !== null &&
            contextWindow !== null &&
            ` (${Math.round((contextTokens / contextWindow) * 100)} % of its window)`}
          {' · lived '}
          {duration(session.lastMessageAt - session.createdAt)} · last used{' '}
          <Time at={session.lastMessageAt} />
        </p>
        {retiredBecause && <p class="meta bad">Retired because {retiredWords(retiredBecause)}.</p>}
      </div>
    </li>
  )
}
