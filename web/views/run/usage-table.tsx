// What a run used, by kind, and how its cost was booked.
import type { CostSource, Run } from '../../../src/core/run/run.ts'
import { count, sumOfMoney } from '../../format.ts'

const BOOKED: Record<CostSource, string> = {
  reported: 'Booked as the agent reported it for this run.',
  'session-delta': "Booked as the session's total now, minus its total before this run.",
  'since-last-result': 'Booked as the agent reported it since its last result.',
  'per-message': 'Booked by list prices from the tokens of each request.',
  none: 'The agent reported no cost.',
}

export function UsageTable({ run }: { readonly run: Run }) {
  const { usage, costUsd, costSource, costDisputed, savings, contextTokens, contextWindow } = run
  const kinds = [
    ['Input, new', usage.inputTokens],
    ['Input, from cache', usage.cacheReadTokens],
    ['Input, to cache', usage.cacheWriteTokens],
    ['Output', usage.outputTokens],
  ] as const
  const all = kinds.reduce((sum, [, tokens]) => sum + tokens, 0)
  return (
    <section class="usage">
      <h2>Usage</h2>
      <table>
        <tbody>
          {kinds.map(([name, tokens]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{count(tokens)}</td>
            </tr>
          ))}
          <tr class="strong">
            <th scope="row">This run</th>
            <td class="number">{count(all)}</td>
            <td class="number">{sumOfMoney(costUsd)}</td>
          </tr>
        </tbody>
      </table>
      <p class="meta">
        {BOOKED[costSource]}
        {costDisputed && ' The reported cost and the cost by list prices disagree.'}
        {savings &&
          savings.savedUsd > 0 &&
          ` A cold start would have cost about ${sumOfMoney(savings.coldCostUsd)}.`}
        {contextTokens !== null &&
          contextWindow !== null &&
          ` The context holds ${count(contextTokens)} of ${count(contextWindow)} tokens.`}
      </p>
    </section>
  )
}
