// What an attempt took over from the one before it, in words.

import { isNative } from '../decide/continuation.ts'
import { counted } from '../digits.ts'
import type { Run } from '../run/run.ts'

type Before = Pick<Run, 'contextTokens' | 'failure'>
type After = Pick<Run, 'decision' | 'facts'>

/** `null` while nothing is decided. */
export function carriedOverWords(before: Before, { decision, facts }: After): string | null {
  if (decision === null) return null
  const messages = facts === null ? null : counted(facts.viewLength, 'message')
  switch (decision.action) {
    case 'resume':
    case 'fork': {
      const parts = [messages, contextWords(before), toolWords(before)].filter(
        part => part !== null,
      )
      const session = decision.action === 'resume' ? 'the session itself' : 'a copy of the session'
      return parts.length === 0 ? session : `${session}, with ${parts.join(', ')}`
    }
    case 'replay': {
      const what = isNative(decision) ? 'a new session with the conversation' : 'the transcript'
      return messages === null ? what : `${what} of ${messages}`
    }
    case 'handover':
      return 'a handover note'
    case 'start':
      return 'nothing; the task begins from the start'
    case 'wait':
      return null
  }
}

function contextWords({ contextTokens }: Before): string | null {
  return contextTokens === null ? null : `${counted(contextTokens, 'token')} of context`
}

function toolWords({ failure }: Before): string | null {
  if (failure === null || failure.toolsRan === 0) return null
  return `${counted(failure.toolsRan, 'tool call')} that had run`
}
