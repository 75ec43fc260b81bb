// An event in a short line, for a person at a terminal.
import { mainText } from '../../core/calls/tool-summary.ts'
import type { AskedCall } from '../../core/conversation/question.ts'
import { answerWords } from '../../core/conversation/question-words.ts'
import type { AnswerEvent } from '../../core/run/events.ts'
import type { RunEvent } from '../../core/run/run-events.ts'

/** `open-daemon.ts` prints those of the daemon already; those of processes only say how fast a turn begins, and `why` has them. */
const QUIET_NOTICES = /^(?:daemon|process)-/

/** A short line about an event for a person at a terminal; `null` for events that need none. */
export function progressOf(event: RunEvent): string | null {
  if (event.type === 'tool') return `${event.name} ${mainText(event.input)}`
  if (event.type === 'queued' || event.type === 'fallback') return event.words
  if (event.type === 'question') return `asks: ${askedWords(event)}`
  if (event.type === 'answer') return byRuleWords(event)
  if (event.type === 'compacted') return 'the agent compacted its context'
  if (event.type === 'notice') return QUIET_NOTICES.test(event.code) ? null : event.text
  if (event.type === 'retry') {
    return `${event.error}: try ${event.attempt} of ${event.maxAttempts} in ${Math.ceil(event.delayMs / 1000)} s`
  }
  return null
}

/** A person who allowed a rule sees each call that it lets through; other answers they gave themselves. */
function byRuleWords({ answer }: AnswerEvent): string | null {
  const isByRule = answer?.kind === 'allow' && answer.forRun?.by === 'rule'
  return isByRule ? answerWords(answer) : null
}

/** The question in one line. */
function askedWords({ kind, tool, input, items }: AskedCall): string {
  if (kind === 'permission') return `may it use ${tool} ${mainText(input)}?`
  return items.map(item => item.question).join(' ')
}
