// How a run continued: an icon and a word in a thin frame, each decision in its own hue.
import type { Decision } from '../../src/core/decide/decision.ts'
import { Icon } from './icon.tsx'

export function DecisionChip({ action }: { readonly action: Decision['action'] }) {
  return (
    <span class={`chip ${action}`}>
      <Icon name={action} />
      <span class="chip-word">{action}</span>
    </span>
  )
}
