// Which session a process continues, if any. Prompt and arguments come from the same decision, so every later turn has a session, the agent's or
// one that we wrote, or a transcript or a note in its prompt.
import type { Decision } from './decision.ts'

export type Continuation =
  | { readonly kind: 'new'; readonly sessionId: string | null }
  | { readonly kind: 'resume'; readonly sessionId: string }
  /** A new session whose file we wrote with the conversation so far. */
  | { readonly kind: 'written'; readonly sessionId: string }
  | {
      readonly kind: 'fork'
      readonly from: string
      /** `null`: the session continues at its end. */
      readonly at: string | null
      readonly sessionId: string | null
    }

type NativeReplay = Extract<Decision, { action: 'replay' }> & { readonly form: 'native' }

/** Whether the run continues a session that we write for it. */
export function isNative(decision: Decision): decision is NativeReplay {
  return decision.action === 'replay' && decision.form === 'native'
}

/** Whether the run continues a file that we made: a replay with roles, or a trimmed copy of the session below. */
export function continuesWritten(decision: Decision): boolean {
  return isNative(decision) || isTrimmed(decision)
}

function isTrimmed(decision: Decision): boolean {
  return decision.action === 'fork' && decision.carry?.way === 'trimmed'
}

/** `newSessionId`: the id that a new session gets; `null` where the agent chooses it. */
export function continuationOf(decision: Decision, newSessionId: string | null): Continuation {
  if (decision.action === 'resume') {
    return { kind: 'resume', sessionId: decision.session.sessionId }
  }
  if (continuesWritten(decision) && newSessionId !== null) {
    return { kind: 'written', sessionId: newSessionId }
  }
  if (decision.action === 'fork') {
    const { session, at } = decision
    return { kind: 'fork', from: session.sessionId, at, sessionId: newSessionId }
  }
  return { kind: 'new', sessionId: newSessionId }
}
