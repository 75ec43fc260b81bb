// What each tier of a policy may do and cost, before a chain is started with it.
import type { PolicyReport } from '../../../src/core/chain/policy-report.ts'
import { sumOfMoney } from '../../format.ts'

export function PolicyTiers({ policy }: { readonly policy: PolicyReport }) {
  if (policy.problem !== null) {
    return <p class="bad">This policy cannot be used: {policy.problem}</p>
  }
  return (
    <ol class="policy-tiers">
      {policy.tiers.map(({ number, name, model, role, budgetUsd, approval, dryRun }) => (
        <li key={number} class={number > policy.maxTier ? 'muted' : ''}>
          <span class="tier-number">{number}</span>
          <span>
            <b>{name}</b> <span class="meta">{model ?? 'model of the agent'}</span>
            <br />
            <span class="muted">{role}</span>
          </span>
          <span class="end meta">
            {budgetUsd === null ? 'no limit' : `up to ${sumOfMoney(budgetUsd)}`}
            {approval === 'ask' && (
              <span class="warn">
                <br />a person must approve
              </span>
            )}
            {dryRun && (
              <span>
                <br />
                dry run
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}
