// Events of all runs as they are stored, newest first. The list stands still while the pointer is over it.

import { useFilters } from '../../data/filters.ts'
import type { Feed } from '../../feed/feed.ts'
import { clockSeconds, count, shortId } from '../../format.ts'
import { FilterSelect } from '../../lists/filter-select.tsx'
import { eventLine } from '../../pictures/event-line.ts'

const MOST_SHOWN = 200
/** Nobody reads these one by one. */
const QUIET: ReadonlySet<string> = new Set(['text', 'thinking', 'block', 'usage'])

export function EventFeed({ feed }: { readonly feed: Feed }) {
  const filters = useFilters()
  const type = filters.get('type')
  const runId = filters.get('run')
  const shown = feed.events
    .filter(event => (type === undefined ? !QUIET.has(event.type) : event.type === type))
    .filter(event => runId === undefined || event.runId === runId)
    .slice(0, MOST_SHOWN)
  const types = [...new Set(feed.events.map(event => event.type))].sort()
  const runs = [...new Set(feed.events.map(event => event.runId))]
  return (
    <section
      class="event-feed"
      aria-label="Events"
      onPointerEnter={() => feed.setPaused(true)}
      onPointerLeave={() => feed.setPaused(false)}
    >
      <header class="part-bar">
        <h2>Events</h2>
        <FilterSelect name="type" label="Type" values={withChosen(types, type)} />
        <FilterSelect name="run" label="Run" values={withChosen(runs, runId)} />
        <span class="end meta">
          {feed.isPaused ? 'Paused while the pointer is here' : 'As they are stored'}
          {feed.unseen > 0 && feed.isPaused && <b> · {count(feed.unseen)} new</b>}
        </span>
      </header>
      {shown.length === 0 && (
        <p class="list-end">
          {feed.events.length === 0
            ? 'No event is stored yet.'
            : 'No event of this kind is among the latest ones.'}
        </p>
      )}
      <ol>
        {shown.map(event => (
          <li key={`${event.runId} ${event.seq}`} class="event-line">
            <span class="muted">{clockSeconds(event.at)}</span>
            <a class="muted" href={`/runs/${event.runId}`}>
              {shortId(event.runId)}
            </a>
            <span class={event.type === 'question' ? 'warn' : ''}>{event.type}</span>
            <span class="event-words">{eventLine(event)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function withChosen(values: readonly string[], chosen: string | undefined): readonly string[] {
  return chosen === undefined || values.includes(chosen) ? values : [...values, chosen]
}
