// What would change the decision: asked of the same facts with one thing different.
import type { Explanation } from '../../../src/core/decide/explain.ts'
import { money } from '../../format.ts'
import { DecisionChip } from '../../parts/decision-chip.tsx'

export function Changes({ explanation }: { readonly explanation: Explanation }) {
  const { changes } = explanation
  if (changes.length === 0) return null
  return (
    <details class="changes" open>
      <summary>What would change this?</summary>
      <ul>
        {changes.map(({ action, words, estimate }) => (
          <li key={words}>
            <DecisionChip action={action} />
            <span>{words}</span>
            <span class="end">{estimate && money(estimate.costUsd)}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
