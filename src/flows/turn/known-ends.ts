// How a session that only the agent can read may end when the agent loads it, and what it is sent then.
import type { KnownEnd } from '../../adapters/adapter.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { Decision } from '../../core/decide/decision.ts'

/**
 * It ends with the last prompt of a turn that went well. Or the agent has saved the prompt of the next turn too, which failed or broke off:
 * that prompt must not be repeated. A session with any other end has been continued by somebody else, or has lost a turn.
 */
export function knownEnds(
  decision: Decision,
  view: readonly Message[],
  compose: (decision: Decision) => string,
): readonly KnownEnd[] {
  if (decision.action !== 'resume') return []
  const { catchUpFrom } = decision
  const last = view.slice(0, catchUpFrom).findLast(({ role }) => role === 'user')
  const next = view[catchUpFrom]
  const held = { ...decision, catchUpFrom: catchUpFrom + 1 }
  return [
    ...(last ? [{ lastPrompt: last.text, send: compose(decision) }] : []),
    ...(next?.role === 'user' ? [{ lastPrompt: next.text, send: compose(held) }] : []),
  ]
}
