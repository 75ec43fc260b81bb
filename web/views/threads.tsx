// Threads: every conversation, the latest used first, with how its last run continued and why.
import { useRef, useState } from 'preact/hooks'
import type { ThreadSummary } from '../../src/core/conversation/thread.ts'
import { shortOf } from '../../src/core/decide/explain.ts'
import { useFilters } from '../data/filters.ts'
import { useList } from '../data/list.ts'
import { count, estimate, money, shortPath, sumOfMoney } from '../format.ts'
import { FilterSelect } from '../lists/filter-select.tsx'
import { ListEnd } from '../lists/list-end.tsx'
import { SavedViews, SaveView } from '../lists/saved-views.tsx'
import { useWindow } from '../lists/use-window.ts'
import { Button } from '../parts/button.tsx'
import { DecisionChip } from '../parts/decision-chip.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { View } from '../shell/view.tsx'
import { ImportThread } from './import-thread.tsx'
import { NewThread } from './new-thread.tsx'

/** As the style says. */
const ROW_PX = 36
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const FILTERS: readonly Parameters<typeof FilterSelect>[0][] = [
  { name: 'kind', label: 'Kind', values: ['chat', 'chain', 'job'] },
  {
    name: 'status',
    label: 'Status',
    values: ['running', 'waiting', 'queued', 'completed', 'failed', 'interrupted', 'cancelled'],
  },
  {
    name: 'action',
    label: 'Decision',
    values: ['resume', 'fork', 'replay', 'handover', 'start', 'wait'],
  },
  {
    name: 'days',
    label: 'Active',
    values: [
      ['1', 'last day'],
      ['7', 'last 7 days'],
      ['30', 'last 30 days'],
    ],
  },
]

export function Threads() {
  const filters = useFilters()
  const q = filters.get('q')
  const days = filters.get('days')
  const query = {
    q,
    agent: filters.get('agent'),
    kind: filters.get('kind'),
    status: filters.get('status'),
    action: filters.get('action'),
    // Whole hours, so that the list keeps its name while one looks at it.
    since: days && Math.floor(Date.now() / HOUR_MS) * HOUR_MS - Number(days) * DAY_MS,
  }
  const isFiltered = Object.values(query).some(one => one !== undefined)
  const { value, error, refresh, more } = useList<ThreadSummary>('/api/threads', query, ['threads'])
  const [isCreating, create] = useState(false)
  const [isImporting, setImporting] = useState(false)
  useShortcut('n', 'New thread', () => create(true))
  const search = useRef<HTMLInputElement>(null)
  useShortcut('/', 'Search', () => search.current?.focus())
  return (
    <View
      title="Threads"
      beside={<span class="muted">{value && count(value.total ?? value.items.length)}</span>}
      actions={
        <>
          <Button scope="submit" onClick={() => setImporting(true)}>
            Import…
          </Button>
          <Button kind="filled" keys="N" scope="submit" onClick={() => create(true)}>
            <Icon name="plus" />
            New thread
          </Button>
        </>
      }
    >
      {isCreating && <NewThread onClose={() => create(false)} />}
      {isImporting && <ImportThread onClose={() => setImporting(false)} />}
      <SavedViews />
      <search class="filter-bar" hidden={value?.items.length === 0 && !isFiltered}>
        <span class="search-field">
          <Icon name="search" />
          <input
            ref={search}
            type="search"
            aria-label="Search threads"
            placeholder="Title, id, work dir or words"
            value={q ?? ''}
            onInput={event => filters.set({ q: event.currentTarget.value })}
          />
          <span class="key" aria-hidden="true">
            /
          </span>
        </span>
        {FILTERS.map(filter => (
          <FilterSelect key={filter.name} {...filter} />
        ))}
        <SaveView />
        {value && <Sums threads={value.items} />}
      </search>
      <div class="view-scroll">
        {error && <Trouble error={error} retry={refresh} />}
        {!value && !error && <Skeleton />}
        {value?.items.length === 0 && <NoThreads isFiltered={isFiltered} />}
        {value && value.items.length > 0 && (
          <>
            <ThreadTable threads={value.items} />
            <ListEnd list={value} more={more} command="reprise threads --json" />
          </>
        )}
      </div>
    </View>
  )
}

/** Of what is shown, not of all that match. */
function Sums({ threads }: { readonly threads: readonly ThreadSummary[] }) {
  const cost = threads.reduce((sum, { costUsd }) => sum + costUsd, 0)
  const saved = threads.reduce((sum, { savedUsd }) => sum + savedUsd, 0)
  return (
    <span class="meta end">
      shown: cost {sumOfMoney(cost)} · saved about {sumOfMoney(saved)}
    </span>
  )
}

function NoThreads({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    const next = ['Show all threads', '/threads'] as const
    return <Empty icon="search" title="No thread matches these filters" next={next} />
  }
  return (
    <Empty icon="threads" title="No threads yet" command={'reprise send "What is this project?"'}>
      Start one here, or in a terminal.
    </Empty>
  )
}

function ThreadTable({ threads }: { readonly threads: readonly ThreadSummary[] }) {
  const { body, first, end, before, after } = useWindow(threads.length, ROW_PX)
  return (
    <table class="rows thread-rows" aria-rowcount={threads.length + 1}>
      <thead>
        <tr>
          <th class="thread-status">
            <span class="unseen">Status</span>
          </th>
          <th>Title</th>
          <th class="wide" style={{ width: '136px' }}>
            Work dir
          </th>
          <th class="wide" style={{ width: '104px' }}>
            Agent
          </th>
          <th class="thread-decision">
            <span>Last decision</span>
          </th>
          <th class="number wide" style={{ width: '56px' }}>
            Turns
          </th>
          <th class="number not-on-phones" style={{ width: '80px' }}>
            Cost
          </th>
          <th class="number wide" style={{ width: '88px' }}>
            Saved, est.
          </th>
          <th class="number thread-active">Active</th>
        </tr>
      </thead>
      <tbody ref={body}>
        {before > 0 && <tr style={{ height: `${before}px` }} />}
        {threads.slice(first, end).map(thread => (
          <ThreadRow key={thread.id} thread={thread} />
        ))}
        {after > 0 && <tr style={{ height: `${after}px` }} />}
      </tbody>
    </table>
  )
}

function ThreadRow({ thread }: { readonly thread: ThreadSummary }) {
  const { id, title, kind, lastRun, workDir, agent, turnCount, costUsd, savedUsd, updatedAt } =
    thread
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
      <td class="wide muted" title={workDir}>
        {shortPath(workDir)}
      </td>
      <td class="wide muted">{agent}</td>
      <td>
        {decision && <DecisionChip action={decision.action} />}{' '}
        <span class="meta not-on-phones">{decision && shortOf(decision)}</span>
      </td>
      <td class="number wide">{turnCount}</td>
      <td class="number not-on-phones">{money(costUsd)}</td>
      <td class="number wide muted">{estimate(savedUsd)}</td>
      <td class="number muted">
        <Time at={updatedAt} />
      </td>
    </tr>
  )
}
