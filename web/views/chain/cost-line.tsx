// The cost of a chain so far, as a line under its bars.
import type { Chain } from '../../../src/api.ts'
import { costSum, sumOfMoney } from '../../format.ts'
import { costPoints } from '../../pictures/chain-picture.ts'
import type { Waterfall } from '../../pictures/waterfall.ts'
import { Grid } from './tier-table.tsx'

/** In percent of the picture. */
const LABEL_WIDTH = 8

type CostLineProps = { readonly chain: Chain; readonly waterfall: Waterfall; readonly at: number }

export function CostLine({ chain, waterfall, at }: CostLineProps) {
  const { runs, totals, budgetUsd } = chain
  const most = totals.costUsd || 1
  const points = costPoints(runs, at).map(({ time, usd }) => ({
    x: waterfall.at(time),
    y: 92 - (usd / most) * 84,
    usd,
  }))
  const last = points.at(-1)
  // Only the ends of runs have labels, and only where there is room before the next one.
  const ends = points.filter((point, index) => index % 2 === 1 && point.usd > 0)
  const labels = ends.filter(({ x }, index) => (ends[index + 1]?.x ?? 200) - x >= LABEL_WIDTH)
  return (
    <tr class="cost-row">
      <td class="line-cell" />
      <td class="tier-cell muted">Cost so far</td>
      <td class="bars-cell">
        <Grid waterfall={waterfall} />
        <svg
          class="cost-line"
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          role="img"
          aria-label={`The cost grew to ${costSum(totals)}`}
        >
          <polyline points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
        </svg>
        {labels.map(point => (
          <span
            key={point.x}
            class={`cost-label${point === last ? ' last' : ''}${point.x < 12 ? ' first' : ''}`}
            style={{ left: `${point.x}%`, top: `${Math.max(8, point.y)}%` }}
          >
            {sumOfMoney(point.usd)}
          </span>
        ))}
      </td>
      <td class="number tokens-cell" />
      <td class="number cost-cell muted">
        {budgetUsd === null ? 'no limit' : `of ${sumOfMoney(budgetUsd)}`}
      </td>
      <td class="verdict-cell" />
    </tr>
  )
}
