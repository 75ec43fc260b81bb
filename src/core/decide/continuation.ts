// Which session a process continues. Prompt and arguments come from the same decision, so every turn has the session or the transcript.
import type { Decision } from './decision.ts'

export type Continuation =
  | { readonly kind: 'new'; readonly sessionId: string | null }
  | { readonly kind: 'resume'; readonly sessionId: string }
  | {
      readonly kind: 'fork'
      readonly from: string
      /** `null`: the session continues at its end. */
      readonly at: string | null
      readonly sessionId: string | null
    }

/** `newSessionId`: the id that a new session gets; `null` where the agent chooses it. */
export function continuationOf(decision: Decision, newSessionId: string | null): Continuation {
  if (decision.action === 'resume') {
    return { kind: 'resume', sessionId: decision.session.sessionId }
  }
  if (decision.action === 'fork') {
    const { session, at } = decision
    return { kind: 'fork', from: session.sessionId, at, sessionId: newSessionId }
  }
  return { kind: 'new', sessionId: newSessionId }
}
