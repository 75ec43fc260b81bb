// Live: what runs now, what waits, and every event as it is stored. Nothing moves under the pointer.
import { useRef, useState } from 'preact/hooks'
import type { Run } from '../../../src/core/run/run.ts'
import { reprise } from '../../data/client.ts'
import { now } from '../../data/clock.ts'
import { useResource } from '../../data/resource.ts'
import { useFeed } from '../../feed/feed.ts'
import { connection } from '../../feed/live.ts'
import { ago, duration } from '../../format.ts'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { type LiveRun, liveRows } from '../../pictures/live-rows.ts'
import { View } from '../../shell/view.tsx'
import { EventFeed } from './event-feed.tsx'
import { LiveRow } from './live-row.tsx'

const MOST_OF_EACH = 100

async function readOpenRuns(): Promise<readonly Run[]> {
  const [running, waiting, queued] = await Promise.all([
    reprise.runs.list({ status: 'running', limit: MOST_OF_EACH }),
    reprise.runs.list({ status: 'waiting', limit: MOST_OF_EACH }),
    reprise.runs.list({ status: 'queued', limit: MOST_OF_EACH }),
  ])
  return [...running, ...waiting, ...queued]
}

export function Live() {
  const { value, error, refresh } = useResource('open runs', readOpenRuns, ['runs', 'questions'])
  const [isPointerOver, setOver] = useState(false)
  const shown = useStill(value, isPointerOver)
  const feed = useFeed()
  return (
    <View
      title="Live"
      beside={<span class="muted">{value && countWords(value)}</span>}
      actions={<Pulse lastAt={feed.events[0]?.at} />}
    >
      <div class="view-scroll">
        {error && <Trouble error={error} retry={refresh} />}
        {!shown && !error && <Skeleton rows={4} />}
        {shown?.length === 0 && (
          <Empty
            icon="live"
            title="Nothing runs now"
            command={'reprise send "What is this project?"'}
          >
            Runs show here from when they are queued until they are over.
          </Empty>
        )}
        {shown && shown.length > 0 && (
          <div
            class="table-scroll"
            onPointerEnter={() => setOver(true)}
            onPointerLeave={() => setOver(false)}
          >
            <table class="rows live-rows">
              <thead>
                <tr>
                  <th class="live-status">
                    <span class="unseen">Status</span>
                  </th>
                  <th>What</th>
                  <th class="live-decision">Decision</th>
                  <th class="live-last">Last event</th>
                  <th class="number live-number live-elapsed">Elapsed</th>
                  <th class="number live-number live-tokens">Tokens/min</th>
                  <th class="live-spark">10 min</th>
                  <th class="number live-number live-cost">Cost so far</th>
                  <th class="live-acts">
                    <span class="unseen">Acts</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map(({ run, isOver }) => (
                  <LiveRow key={run.id} run={run} isOver={isOver} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        <EventFeed feed={feed} />
      </div>
    </View>
  )
}

/** The rows to draw; none moves while the pointer is over them. */
function useStill(
  open: readonly Run[] | undefined,
  isStill: boolean,
): readonly LiveRun[] | undefined {
  const drawn = useRef<readonly LiveRun[]>([])
  if (open === undefined) return undefined
  drawn.current = liveRows(drawn.current, open, isStill)
  return drawn.current
}

function countWords(runs: readonly Run[]): string {
  const of = (status: Run['status']) => runs.filter(run => run.status === status).length
  const [works, waits, queued] = [of('running'), of('waiting'), of('queued')]
  return [
    works > 0 && `${works} ${works === 1 ? 'works' : 'work'}`,
    waits > 0 && `${waits} ${waits === 1 ? 'waits' : 'wait'} for you`,
    queued > 0 && `${queued} ${queued === 1 ? 'is' : 'are'} queued`,
  ]
    .filter(part => part !== false)
    .join(', ')
}

/** Whether the page hears what happens. */
function Pulse({ lastAt }: { readonly lastAt: number | undefined }) {
  const { value } = connection
  if (value.state === 'live') {
    return (
      <span class="meta pulse">
        <span class="dot" />
        {lastAt === undefined
          ? 'connected'
          : `last event ${duration(Math.max(0, now.value - lastAt))} ago`}
      </span>
    )
  }
  return (
    <span class="meta pulse warn" role="status">
      <span class="dot away" />{' '}
      {value.state === 'away'
        ? `reconnecting, away for ${ago(value.since, now.value)}`
        : 'connecting'}
    </span>
  )
}
