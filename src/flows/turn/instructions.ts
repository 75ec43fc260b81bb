// Passes on a thread's instructions: by the agent's flag, and in the prompt where the agent ignores the flag.

import type { Session } from '../../core/conversation/session.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { hashText } from '../../core/hash-text.ts'
import type { TurnInput } from './turn-input.ts'

export type Instructions = {
  readonly text: string | null
  readonly hash: string | null
  /** Set when the agent would ignore the flag and the session knows other instructions. */
  readonly inPrompt: string | null
}

export function instructionsFor(
  { agent, instructions: text }: TurnInput,
  decision: Decision,
  source: Session | null,
): Instructions {
  const hash = hashOfInstructions(text)
  const known = source?.instructionsHash ?? null
  const continues = decision.action === 'resume' || decision.action === 'fork'
  const ignored = continues && agent.adapter.ignoresInstructionsOnResume(agent.runtime)
  // A fork may be cut before the point where the session got its latest instructions.
  const needed = decision.action === 'fork' ? hash !== null || known !== null : hash !== known
  return { text, hash, inPrompt: ignored && needed ? (text ?? '') : null }
}

export function hashOfInstructions(text: string | null): string | null {
  return text === null ? null : hashText(text)
}
