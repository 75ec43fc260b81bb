// What a tier may do and cost, before somebody lets the chain into it or lets it go on there.
import type { Chain } from '../../../src/api.ts'
import { isBrokenOff } from '../../../src/core/chain/supervise.ts'
import { NOT_KNOWN } from '../../../src/core/money/estimate.ts'
import { reprise } from '../../data/client.ts'
import { useResource } from '../../data/resource.ts'
import { costSum, count, money, sumOfMoney } from '../../format.ts'
import { WaysTable } from '../thread/price-line.tsx'

type NextTierProps = { readonly chain: Chain; readonly tier: number }

export function NextTier({ chain, tier }: NextTierProps) {
  const { tiers, totals, budgetUsd, dryRun } = chain
  const next = tiers.find(({ number }) => number === tier)
  return (
    <ul class="dashes">
      {next && <li>{next.role}</li>}
      {dryRun && <li>This chain is a dry run: it only looks</li>}
      {next && (
        <li>
          {next.agent ?? chain.agent}, {next.model ?? 'the model of the agent'}
          {next.permissionMode === null ? '' : `, mode ${next.permissionMode}`}
        </li>
      )}
      {next && next.allowedTools.length > 0 && (
        <li>
          May use <span class="mono">{next.allowedTools.join(', ')}</span>
        </li>
      )}
      {next && next.disallowedTools.length > 0 && (
        <li title={next.disallowedTools.join('\n')}>
          May not use{' '}
          <span class="mono">
            {next.disallowedTools.slice(0, MOST_SHOWN).join(', ')}
            {next.disallowedTools.length > MOST_SHOWN &&
              ` and ${next.disallowedTools.length - MOST_SHOWN} more`}
          </span>
        </li>
      )}
      <li>
        {next && next.budgetUsd !== null && (
          <span>
            Up to <b>{sumOfMoney(next.budgetUsd)}</b>;{' '}
          </span>
        )}
        the chain has spent {costSum(totals)}
        {budgetUsd === null ? '' : ` of ${sumOfMoney(budgetUsd)}`}
      </li>
      {(chain.status === 'held' || isBrokenOff(chain)) && <Expected chain={chain} />}
    </ul>
  )
}

/** As the tier would be decided now. */
function Expected({ chain }: { readonly chain: Chain }) {
  const asked = () => reprise.chains.previewNext(chain.id)
  const { value, error } = useResource(`next tier of ${chain.id}`, asked, [`chain:${chain.id}`])
  if (error) return <li class="warn">No estimate: {error.message}</li>
  if (!value) return <li class="muted">…</li>
  const { estimate, ways } = value
  return (
    <li>
      {estimate ? (
        <span>
          Expected to cost <b>about {money(estimate.costUsd)}</b> ({count(estimate.tokens)} tokens,{' '}
          {count(estimate.cachedTokens)} cached)
        </span>
      ) : (
        <span>Price: {NOT_KNOWN}</span>
      )}
      <WaysTable ways={ways} />
    </li>
  )
}

const MOST_SHOWN = 4
