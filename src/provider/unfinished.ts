// When a query continues by itself, and with which prompt.
import type { ResultMessage } from './provider-message.ts'

export const DEFAULT_MAX_TURNS = 20
export const CONTINUE_PROMPT = 'Go on where you stopped.'

/** Stop reasons of an agent that had to stop before it was done. */
const UNFINISHED: ReadonlySet<string> = new Set(['tool_use', 'max_tokens', 'pause_turn'])

export function shouldContinue({ is_error, result }: ResultMessage): boolean {
  if (result.error?.class === 'max-turns') return true
  return !is_error && UNFINISHED.has(result.stop_reason ?? '')
}
