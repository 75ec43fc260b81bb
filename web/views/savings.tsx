// Savings: what was paid, what cold starts would have cost, how turns continued, and why some were not resumed.
import type { SavingsReport } from '../../src/api.ts'
import type { UsageRow } from '../../src/core/money/usage.ts'
import { http } from '../data/client.ts'
import { useFilters } from '../data/filters.ts'
import { useResource } from '../data/resource.ts'
import { count, shortCount, sumOfMoney } from '../format.ts'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { layoutDays } from '../pictures/day-bars.ts'
import { View } from '../shell/view.tsx'
import { ContinuedTable } from './savings-reasons.tsx'

const DAY_MS = 86_400_000
const SPANS = ['7', '14', '30', '90']

export function Savings() {
  const filters = useFilters()
  const days = Number(filters.get('days') ?? 14)
  const since = Math.floor(Date.now() / DAY_MS) * DAY_MS - (days - 1) * DAY_MS
  const { value, error, refresh } = useResource(
    `savings ${days}`,
    () => http.ask<SavingsReport>('GET', '/api/savings', { query: { by: 'day', since } }),
    ['sessions'],
  )
  return (
    <View
      title="Savings"
      beside={
        <span class="muted">
          {dayName(since)} to {dayName(Date.now())}
        </span>
      }
      actions={
        <select
          aria-label="How many days"
          value={String(days)}
          onChange={event => filters.set({ days: event.currentTarget.value })}
        >
          {SPANS.map(span => (
            <option key={span} value={span}>
              {span} days
            </option>
          ))}
        </select>
      }
    >
      <div class="view-scroll">
        {error && <Trouble error={error} retry={refresh} />}
        {!value && !error && <Skeleton />}
        {value?.total.runs === 0 && (
          <Empty icon="savings" title="Nothing ran in these days" command="reprise demo">
            Costs and savings stand here as soon as agents have run.
          </Empty>
        )}
        {value && value.total.runs > 0 && <Report report={value} days={days} />}
      </div>
    </View>
  )
}

function Report({ report, days }: { readonly report: SavingsReport; readonly days: number }) {
  const { total, rows } = report
  return (
    <>
      <dl class="savings-sums">
        <div>
          <dt>saved, estimate</dt>
          <dd class="largest">about {sumOfMoney(total.savedUsd)}</dd>
        </div>
        <div>
          <dt>paid, measured</dt>
          <dd>{sumOfMoney(total.costUsd)}</dd>
        </div>
        <div>
          <dt>a cold start each time, estimate</dt>
          <dd>about {sumOfMoney(total.coldCostUsd)}</dd>
        </div>
        <div>
          <dt>runs that went on in a session</dt>
          <dd>
            {count(total.resumed)} of {count(total.runs)}
          </dd>
        </div>
      </dl>
      <Chart rows={rows} days={days} />
      <ContinuedTable report={report} />
      <DayTable rows={rows} total={total} days={days} />
    </>
  )
}

function Chart({ rows, days }: { readonly rows: readonly UsageRow[]; readonly days: number }) {
  const { bars, marks } = layoutDays(rows, { days, until: Date.now() })
  const top = marks.at(-1) ?? 1
  return (
    <figure class="day-chart" aria-label="Dollars per day; the table below has the same numbers">
      <figcaption>
        <h2>Dollars per day</h2>
        <span class="legend-item">
          <span class="swatch paid" aria-hidden="true" /> paid
        </span>
        <span class="legend-item">
          <span class="swatch more" aria-hidden="true" /> a cold start would have cost more
          (estimate)
        </span>
      </figcaption>
      <div class="day-plot" aria-hidden="true">
        {marks.map(mark => (
          <span key={mark} class="day-mark" style={{ bottom: `${(mark / top) * 100}%` }}>
            <span>{sumOfMoney(mark)}</span>
          </span>
        ))}
        <div class="day-bars">
          {bars.map(({ day, paid, more, row }) => (
            <span
              key={day}
              class="day-bar"
              title={row ? `${dayName(day)}: ${sumOfMoney(row.costUsd)} paid` : dayName(day)}
            >
              <span class="more" style={{ height: `${more * 100}%` }} />
              <span class="paid" style={{ height: `${paid * 100}%` }} />
            </span>
          ))}
        </div>
      </div>
      <p class="day-axis meta" aria-hidden="true">
        {bars.map(({ day }, index) => (
          <span key={day}>{isNamed(index, bars.length) && dayName(day)}</span>
        ))}
      </p>
    </figure>
  )
}

/** The last day, and every so many before it that the names do not touch. */
function isNamed(index: number, days: number): boolean {
  return (days - 1 - index) % Math.ceil(days / 7) === 0
}

/** Days are those of UTC, as the daemon counts them. */
function dayName(day: string | number): string {
  const date = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  return new Date(day).toLocaleDateString('en-GB', date)
}

type TableProps = {
  readonly rows: readonly UsageRow[]
  readonly total: UsageRow
  readonly days: number
}

function DayTable({ rows, total, days }: TableProps) {
  return (
    <div class="table-scroll" tabIndex={0}>
      <table class="rows wide">
        <thead>
          <tr>
            <th>Day</th>
            <th class="number">Runs</th>
            <th class="number">Went on in a session</th>
            <th class="number">Input</th>
            <th class="number">of it cached</th>
            <th class="number">Output</th>
            <th class="number">Paid</th>
            <th class="number">Cold start, est.</th>
            <th class="number">Saved, est.</th>
          </tr>
        </thead>
        <tbody>
          <DayRow name={`${days} days`} row={total} isTotal />
          {rows
            .toSorted((a, b) => b.key.localeCompare(a.key))
            .map(row => (
              <DayRow key={row.key} name={dayName(row.key)} row={row} />
            ))}
        </tbody>
      </table>
      <p class="list-end">
        <code class="end">reprise savings --by day --json</code>
      </p>
    </div>
  )
}

function DayRow({
  name,
  row,
  isTotal = false,
}: {
  readonly name: string
  readonly row: UsageRow
  readonly isTotal?: boolean
}) {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = row.usage
  return (
    <tr class={isTotal ? 'strong' : ''}>
      <td>{name}</td>
      <td class="number">{count(row.runs)}</td>
      <td class="number">{count(row.resumed)}</td>
      <td class="number">{shortCount(inputTokens + cacheReadTokens + cacheWriteTokens)}</td>
      <td class="number">{shortCount(cacheReadTokens)}</td>
      <td class="number">{shortCount(outputTokens)}</td>
      <td class="number">{sumOfMoney(row.costUsd)}</td>
      <td class="number muted">{sumOfMoney(row.coldCostUsd)}</td>
      <td class="number">{sumOfMoney(row.savedUsd)}</td>
    </tr>
  )
}
