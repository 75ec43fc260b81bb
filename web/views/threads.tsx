// Threads: every conversation, the latest used first, with how its last run continued and why.
import { useRef } from 'preact/hooks'
import type { ThreadSummary } from '../../src/core/conversation/thread.ts'
import { reasonWords } from '../../src/core/decide/explain.ts'
import { useFilters } from '../data/filters.ts'
import { useList } from '../data/list.ts'
import { count, money } from '../format.ts'
import { DecisionChip } from '../parts/decision-chip.tsx'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { View } from '../shell/view.tsx'

export function Threads() {
  const filters = useFilters()
  const q = filters.get('q')
  const { value, error, refresh, more } = useList<ThreadSummary>('/api/threads', { q }, ['threads'])
  const search = useRef<HTMLInputElement>(null)
  useShortcut('/', 'Search', () => search.current?.focus())
  return (
    <View
      title="Threads"
      beside={<span class="muted">{value && count(value.total ?? value.items.length)}</span>}
    >
      <search class="filter-bar">
        <input
          ref={search}
          type="search"
          aria-label="Search threads"
          placeholder="Title, id, work dir or words"
          value={q ?? ''}
          onInput={event => filters.set({ q: event.currentTarget.value })}
        />
      </search>
      <div class="view-scroll">
        {error && <Trouble error={error} retry={refresh} />}
        {!value && !error && <Skeleton />}
        {value?.items.length === 0 && <NoThreads isFiltered={q !== undefined} />}
        {value && value.items.length > 0 && (
          <>
            <ThreadTable threads={value.items} />
            <p class="list-end">
              {value.items.length} of {value.total ?? `${value.items.length} or more`}
              {value.hasMore && (
                <button type="button" class="button" onClick={more}>
                  Show more
                </button>
              )}
              <code class="end">reprise threads --json</code>
            </p>
          </>
        )}
      </div>
    </View>
  )
}

function NoThreads({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty icon="search" title="No thread matches these filters" />
  return (
    <Empty icon="threads" title="No threads yet" command={'reprise send "What is this project?"'}>
      Start one here, or in a terminal.
    </Empty>
  )
}

function ThreadTable({ threads }: { readonly threads: readonly ThreadSummary[] }) {
  return (
    <table class="rows">
      <thead>
        <tr>
          <th style={{ width: '48px' }}>
            <span class="unseen">Status</span>
          </th>
          <th style={{ width: '30%' }}>Title</th>
          <th>Work dir</th>
          <th style={{ width: '104px' }}>Agent</th>
          <th style={{ width: '28%' }}>Last decision</th>
          <th class="number" style={{ width: '56px' }}>
            Turns
          </th>
          <th class="number" style={{ width: '80px' }}>
            Cost
          </th>
          <th class="number" style={{ width: '96px' }}>
            Active
          </th>
        </tr>
      </thead>
      <tbody>
        {threads.map(thread => (
          <ThreadRow key={thread.id} thread={thread} />
        ))}
      </tbody>
    </table>
  )
}

function ThreadRow({ thread }: { readonly thread: ThreadSummary }) {
  const { id, title, kind, lastRun, workDir, agent, turnCount, costUsd, updatedAt } = thread
  const decision = lastRun?.decision ?? null
  return (
    <tr>
      <td>{lastRun && <Status status={lastRun.status} iconOnly />}</td>
      <td>
        <a class="row-link" href={`/threads/${id}`}>
          {title ?? id}
        </a>{' '}
        {kind !== 'chat' && <span class="chip plain">{kind}</span>}
      </td>
      <td class="muted" title={workDir}>
        {workDir}
      </td>
      <td class="muted">{agent}</td>
      <td>
        {decision && <DecisionChip action={decision.action} />}{' '}
        <span class="meta">
          {decision && decision.action !== 'resume' && reasonWords(decision.reason)}
        </span>
      </td>
      <td class="number">{turnCount}</td>
      <td class="number">{money(costUsd)}</td>
      <td class="number muted">
        <Time at={updatedAt} />
      </td>
    </tr>
  )
}
