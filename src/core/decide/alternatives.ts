// What a decision is compared with in a preview.
import { afterRefusal, decide } from './decide.ts'
import type { Decision, Facts } from './decision.ts'
import type { Alternative } from './explain.ts'
import type { EstimateDecision } from './prospect.ts'
import type { ResumeSettings } from './settings.ts'

/** The one thing to compare the decision with: the other side of the fresh session, or a refused fork. */
export function alternativesTo(
  decision: Decision,
  { facts, settings }: { readonly facts: Facts; readonly settings: ResumeSettings },
  estimate: EstimateDecision,
): readonly Alternative[] {
  const other = otherThan(decision, facts, settings)
  if (!other || other.decision.action === decision.action) return []
  const { action } = other.decision
  return [{ action, words: other.words, estimate: estimate(other.decision) }]
}

function otherThan(decision: Decision, facts: Facts, settings: ResumeSettings) {
  if (decision.action === 'fork') {
    const { sessionId } = decision.session
    const refused = { code: 'resume-refused', sessionId, detail: '' } as const
    const words = 'if the agent refuses the fork'
    return { decision: afterRefusal(decision, refused, facts), words }
  }
  if (decision.action === 'resume') {
    const words = 'with a fresh session'
    return { decision: decide({ ...facts, freshSession: true }, settings), words }
  }
  if (!facts.freshSession) return null
  const words = 'without a fresh session'
  return { decision: decide({ ...facts, freshSession: false }, settings), words }
}
