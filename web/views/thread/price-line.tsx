// What the next turn will do and use, and every other way in which it can go on, with its price.
import type { PricedWay } from '../../../src/core/decide/ways.ts'
import { cacheWords } from '../../../src/core/money/cache-state.ts'
import { basisWords, type Estimate, NOT_KNOWN } from '../../../src/core/money/estimate.ts'
import { count, money } from '../../format.ts'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Previewed } from './use-preview.ts'

/** One line under the composer; the table of all ways opens below it. */
export function PriceLine({ previewed }: { readonly previewed: Previewed }) {
  if (previewed.state === 'asking') return <p class="price-line meta">…</p>
  if (previewed.state === 'refused') return <p class="price-line meta warn">{previewed.words}</p>
  const { decision, words, estimate, ways } = previewed.preview
  const [other] = ways
    .flatMap(({ way, isChosen, estimate: priced }) =>
      isChosen || priced?.costUsd == null ? [] : [{ way, costUsd: priced.costUsd }],
    )
    .toSorted((a, b) => a.costUsd - b.costUsd)
  return (
    <details class="price-line meta">
      <summary title={words}>
        <DecisionChip action={decision.action} />
        {estimate ? (
          <b>
            about {count(estimate.tokens)} tokens, {count(estimate.cachedTokens)} cached,{' '}
            {money(estimate.costUsd)}
          </b>
        ) : (
          <span>{ways.length === 0 ? words : NOT_KNOWN}</span>
        )}
        <span class="end">
          {other
            ? `${other.way} would be ${money(other.costUsd)}`
            : estimate && `cache ${cacheWords(estimate.cache)}`}
        </span>
        <Icon name="down" />
      </summary>
      <WaysTable ways={ways} />
      {estimate && <BasisLine estimate={estimate} />}
    </details>
  )
}

export function BasisLine({ estimate }: { readonly estimate: Estimate }) {
  return (
    <p class="muted">
      An estimate for the whole turn, from {basisWords(estimate.basis)}; cache{' '}
      {cacheWords(estimate.cache)}.
    </p>
  )
}

/** Every way with its tokens by kind; the chosen one stands out. */
export function WaysTable({ ways }: { readonly ways: readonly PricedWay[] }) {
  if (ways.length === 0) return null
  return (
    <div class="ways">
      <table class="estimates">
        <thead>
          <tr>
            <th>Way</th>
            <th class="number">cache read</th>
            <th class="number">cache write</th>
            <th class="number">input</th>
            <th class="number">output</th>
            <th class="number">about</th>
          </tr>
        </thead>
        <tbody>
          {ways.map(way => (
            <WayRow key={way.way} {...way} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function WayRow({ way, isChosen, words, estimate }: PricedWay) {
  const usage = estimate?.usage
  return (
    <tr class={isChosen ? 'strong' : 'muted'} title={words}>
      <td>
        {way}, {words}
      </td>
      <td class="number">{usage && count(usage.cacheReadTokens)}</td>
      <td class="number">{usage && count(usage.cacheWriteTokens)}</td>
      <td class="number">{usage && count(usage.inputTokens)}</td>
      <td class="number">{usage && count(usage.outputTokens)}</td>
      <td class="number">{estimate ? money(estimate.costUsd) : 'not known'}</td>
    </tr>
  )
}
