// An event in a line, for logs and lists.

import { callSummary } from '../../src/core/calls/tool-summary.ts'
import { answerWords } from '../../src/core/conversation/question-words.ts'
import { digits } from '../../src/core/digits.ts'
import type { RunEvent } from '../../src/core/run/run-events.ts'

const MOST_CHARS = 400

export function eventLine(event: RunEvent): string {
  const line = lineOf(event).trim()
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line
}

function lineOf(event: RunEvent): string {
  switch (event.type) {
    case 'text':
    case 'thinking':
    case 'tool-result':
    case 'notice':
      return event.text
    case 'tool':
      return `${event.name} ${callSummary(event)}`
    case 'queued':
    case 'fallback':
    case 'supervised':
      return event.words
    case 'started':
      return event.decision.action
    case 'session':
      return [event.sessionId, event.model, event.version].filter(part => part !== null).join(' · ')
    case 'usage': {
      const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = event.usage
      return `${event.model}: ${digits(inputTokens)} new, ${digits(cacheReadTokens)} from cache, ${digits(cacheWriteTokens)} to cache, ${digits(outputTokens)} out`
    }
    case 'retry':
      return `${event.attempt} of ${event.maxAttempts}: ${event.error}`
    case 'question':
      return (
        event.items.map(({ question }) => question).join(' ') ||
        `${event.tool} ${callSummary({ name: event.tool, input: event.input })}`
      )
    case 'answer':
      return event.state === 'answered' ? answerWords(event.answer) : event.state
    case 'result':
      return event.text ?? event.subtype
    case 'ended':
      return event.failure === null ? event.status : `${event.status}: ${event.failure.message}`
    case 'hook':
      return event.name
    case 'compacted':
      return event.trigger
    case 'limit':
      return event.rejected ? 'a usage limit was reached' : 'a usage limit is near'
    case 'block':
      return event.anchor
    default:
      return ''
  }
}
