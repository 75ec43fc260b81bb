// The events of a run with a filter. A run may have a hundred thousand: they are read in pages and only the newest are drawn.
import { useState } from 'preact/hooks'
import type { Run } from '../../../src/core/run/run.ts'
import type { RunEvent } from '../../../src/core/run/run-events.ts'
import { reprise } from '../../data/client.ts'
import { useFilters } from '../../data/filters.ts'
import { useResource } from '../../data/resource.ts'
import { clockSeconds } from '../../format.ts'
import { useLeftToDraw } from '../../lists/use-left-to-draw.ts'
import { Button } from '../../parts/button.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { eventLine } from '../../pictures/event-line.ts'

const PER_PAGE = 200
const PER_FRAME = 50

export function EventsOfRun({ run }: { readonly run: Run }) {
  const filters = useFilters()
  const [after, setAfter] = useState(0)
  const wanted = (filters.get('events') ?? '').toLowerCase()
  const { value, error, refresh } = useResource(
    `events ${run.id} ${after}`,
    () => reprise.runs.events(run.id, after, PER_PAGE),
    [`events:${run.id}`],
  )
  if (error) return <Trouble error={error} retry={refresh} />
  if (!value) return <Skeleton rows={8} />
  const shown = value.filter(
    event => wanted === '' || `${event.type} ${eventLine(event)}`.toLowerCase().includes(wanted),
  )
  return (
    <section>
      <input
        type="search"
        aria-label="Filter events"
        placeholder="Filter: tool, usage, words …"
        value={wanted}
        onInput={event => filters.set({ events: event.currentTarget.value })}
      />
      <EventRows key={after} events={shown} />
      <p class="form-actions">
        {after > 0 && (
          <Button onClick={() => setAfter(Math.max(0, after - PER_PAGE))}>Earlier</Button>
        )}
        {value.length === PER_PAGE && (
          <Button onClick={() => setAfter(value.at(-1)?.seq ?? after)}>Later</Button>
        )}
        <span class="meta">
          {shown.length} of events {after + 1} to {value.at(-1)?.seq ?? after}
        </span>
      </p>
    </section>
  )
}

function EventRows({ events }: { readonly events: readonly RunEvent[] }) {
  const left = useLeftToDraw(events.length, PER_FRAME)
  return (
    <ol class="events">
      {events.slice(0, Math.max(0, events.length - left)).map(event => (
        <EventRow key={event.seq} event={event} />
      ))}
    </ol>
  )
}

function EventRow({ event }: { readonly event: RunEvent }) {
  return (
    <li class="event">
      <span class="muted mono">{clockSeconds(event.at)}</span>
      <code>{event.type}</code>
      <span class="event-text">{eventLine(event)}</span>
    </li>
  )
}
