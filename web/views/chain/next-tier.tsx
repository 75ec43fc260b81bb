// What the next tier of a held chain may do and cost, before somebody lets the chain in.
import type { Chain } from '../../../src/api.ts'
import { costSum, sumOfMoney } from '../../format.ts'

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
    </ul>
  )
}

const MOST_SHOWN = 4
