// Passes on a thread's instructions: in a file that the agent reads, and in the prompt where it reads none.

import type { Session } from '../../core/conversation/session.ts'
import { isNative } from '../../core/decide/continuation.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { hashText } from '../../core/hash-text.ts'
import type { TurnInput } from './turn-input.ts'

export type Instructions = {
  /** For the file that the agent reads; `null`: there is none. */
  readonly text: string | null
  readonly hash: string | null
  /** Set when the agent would not read the file and the session knows other instructions. */
  readonly inPrompt: string | null
}

export function instructionsFor(
  { agent, instructions: text }: Pick<TurnInput, 'agent' | 'instructions'>,
  decision: Decision,
  source: Session | null,
): Instructions {
  const hash = hashOfInstructions(text)
  const known = source?.instructionsHash ?? null
  const isCut = decision.action === 'fork' || isNative(decision)
  const continues = decision.action === 'resume' || isCut
  const by = agent.adapter.instructionsBy(agent.runtime)
  if (by === 'prompt' && !continues) return { text: null, hash, inPrompt: text }
  const ignored = continues && by !== 'file'
  // A fork may be cut before the point where the session got its latest instructions; one that we wrote got none.
  const needed = isCut ? hash !== null || known !== null : hash !== known
  return {
    text: by === 'prompt' ? null : text,
    hash,
    inPrompt: ignored && needed ? (text ?? '') : null,
  }
}

export function hashOfInstructions(text: string | null): string | null {
  return text === null ? null : hashText(text)
}
