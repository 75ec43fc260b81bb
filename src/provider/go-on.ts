// When a query goes on by itself, and with which words.
import type { ResultMessage } from './provider-message.ts'

export const DEFAULT_MAX_TURNS = 20
export const GO_ON_PROMPT = 'Go on where you stopped.'

/** It stopped because it had to, not because it was done. */
const UNFINISHED: ReadonlySet<string> = new Set(['tool_use', 'max_tokens', 'pause_turn'])

export function shouldGoOn({ is_error, result }: ResultMessage): boolean {
  if (result.error?.class === 'max-turns') return true
  return !is_error && UNFINISHED.has(result.stop_reason ?? '')
}
