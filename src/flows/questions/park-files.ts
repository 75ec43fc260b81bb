// Keeps the files that an agent needs in order to park calls: questions to the user, and calls that only the next tier may make.
import type { RunSpec } from '../../adapters/adapter.ts'
import type { Question } from '../../core/conversation/question.ts'
import { deferralOf, type TierContext } from '../chains/tier-context.ts'
import type { Agent, Dependencies } from '../dependencies.ts'

export async function keepParkFiles(
  { keepText }: Pick<Dependencies, 'keepText'>,
  run: {
    readonly agent: Agent
    readonly asks: boolean
    /** The parked question whose answer the run brings. */
    readonly parked: Question | null
    readonly tierContext: TierContext | null
  },
): Promise<RunSpec['parkFiles']> {
  const { agent, asks, parked, tierContext } = run
  const { park } = agent.adapter
  if (!park?.canPark(agent.runtime)) return {}
  const reply = parked?.answer ? { asked: parked, answer: parked.answer } : null
  const deferral = tierContext && deferralOf(tierContext, agent)
  return park.files({ questions: asks ? { reply } : null, deferral }, keepText)
}
