// What a decision is compared with in a preview.
import { afterRefusal, decide } from './decide.ts'
import type { Decision, Facts } from './decision.ts'
import type { Alternative } from './explain.ts'
import type { EstimateDecision } from './prospect.ts'
import type { ResumeSettings } from './settings.ts'

/**
 * The one other way that is worth a comparison: a fresh session where the decision continues one, the session where
 * a fresh one was asked for, and a replay where the decision forks.
 */
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
