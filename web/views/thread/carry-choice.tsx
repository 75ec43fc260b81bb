// What the agent gets of the conversation with the next turn. A way that the agent cannot go says why.
import type { AgentReport } from '../../../src/api.ts'
import { CARRIES, type Carry, carryBecause } from '../../../src/core/chain/carry.ts'

type CarryChoiceProps = {
  /** Empty: as the thread or the config says. */
  readonly carry: Carry | ''
  readonly agent: AgentReport | undefined
  /** Nothing was said yet. */
  readonly isFirst: boolean
  readonly onChoose: (carry: Carry | '') => void
}

const WORDS: Record<Carry, string> = {
  whole: 'whole',
  trimmed: 'trimmed: long outputs cut',
  note: 'note instead of it',
  auto: 'auto: whole or trimmed',
}

export function CarryChoice({ carry, agent, isFirst, onChoose }: CarryChoiceProps) {
  return (
    <select
      class="composer-wide"
      aria-label="Conversation"
      title={isFirst ? 'There is no conversation yet.' : 'What this turn gets of the conversation'}
      disabled={isFirst}
      value={carry}
      onChange={event => onChoose(CARRIES.find(one => one === event.currentTarget.value) ?? '')}
    >
      <option value="">conversation: default</option>
      {CARRIES.map(one => {
        const whyNot = whyNotCarried(one, agent)
        return (
          <option key={one} value={one} disabled={whyNot !== null} title={whyNot ?? undefined}>
            {whyNot === null ? WORDS[one] : `${one}: ${whyNot}`}
          </option>
        )
      })}
    </select>
  )
}

/** A note needs only a prompt, so that every agent takes it. `null`: the agent can go this way. */
export function whyNotCarried(carry: Carry, agent: AgentReport | undefined): string | null {
  const isCut = carry === 'trimmed' || carry === 'auto'
  return isCut && agent?.writesSessions !== true ? carryBecause('agent') : null
}
