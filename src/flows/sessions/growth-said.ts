// What a run left in a session that only the agent can read, from what the agent said.
import { NOTHING_GREW, type SessionGrowth } from '../../adapters/adapter.ts'
import type { Decision } from '../../core/decide/decision.ts'
import type { Observation } from '../../core/run/observe.ts'

/**
 * A turn that went well is in the session: the agent says so, and its earlier turns were there when it loaded the session. Of any other
 * turn nobody knows how much was saved. The next load tells (`knownEnds`).
 */
export function growthSaid(decision: Decision, observation: Observation): SessionGrowth {
  const { result, announcedSessionId, text, tools } = observation
  if (!result?.ok || announcedSessionId === null) return NOTHING_GREW
  return {
    ...NOTHING_GREW,
    grew: true,
    by: decision.action === 'resume' ? 'protocol' : 'word',
    holdsPrompt: true,
    text: text || (result.text ?? ''),
    tools: [...tools.values()],
    complete: true,
  }
}
