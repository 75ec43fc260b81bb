// How one talks to a process of Claude Code: lines of JSON in both directions.

import type { Answer } from '../../core/conversation/question.ts'
import type { Ruling } from '../../core/fence/fence.ts'
import type { AgentEvent, QuestionEvent } from '../../core/run/events.ts'
import { RepriseError } from '../../errors.ts'
import type { Dialogue, DialogueStep, RunSpec, Runtime } from '../adapter.ts'
import { GUARD_LINE, guardAnswer } from './guard.ts'
import { answerLine } from './questions.ts'
import { CHECK_LINE, createRest, isCheckAnswer } from './staying.ts'
import { createParser } from './stream/parser.ts'

/**
 * A process that may ask keeps its input open until its result, and one that stays keeps it open for the next turn; to any other
 * one the prompt is all that is said.
 */
export function openDialogue(spec: RunSpec, runtime: Runtime): Dialogue {
  const parser = createParser()
  const first = firstLines(spec, runtime)
  const staysOpen = spec.asks || spec.isGuarded === true || spec.stays === true
  const rest = createRest()
  let isFirstResult = true
  /** The result of a parked call does not answer the prompt. If the call is parked again, the run ends. */
  const beforePrompt = (event: AgentEvent): AgentEvent => {
    if (event.type !== 'result') return event
    const isOfCall = spec.callFirst && isFirstResult && event.ok && !event.atParkedCall
    isFirstResult = false
    return isOfCall ? { ...event, unasked: true } : event
  }
  return {
    begin: () => ({ events: [], write: first, ...(!staysOpen && { close: true }) }),
    read(line) {
      if (isCheckAnswer(line)) return { events: [], write: [], listens: true }
      const events = parser.parse(line).map(beforePrompt)
      rest.see(line, events)
      const isOver = events.some(answersPrompt)
      const rests = isOver && spec.stays === true && rest.isPossible()
      return { events, write: [], ...(isOver && (rests ? { rests } : { close: true })) }
    },
    answer: (asked: QuestionEvent, answer: Answer): DialogueStep =>
      written(answerLine(asked, answer)),
    rule: (requestId: string, ruling: Ruling): DialogueStep =>
      written(guardAnswer(requestId, ruling)),
    next: prompt => {
      parser.nextTurn()
      return written(`${JSON.stringify(promptLine(prompt, runtime))}\n`)
    },
    check: () => written(`${CHECK_LINE}\n`),
  }
}

function answersPrompt(event: AgentEvent): boolean {
  return event.type === 'result' && !event.unasked
}

function written(line: string): DialogueStep {
  return { events: [], write: [line] }
}

/** Without a message, a resumed session continues with its parked call. */
function firstLines({ prompt, isGuarded }: RunSpec, runtime: Runtime): readonly string[] {
  return [
    ...(isGuarded ? [GUARD_LINE] : []),
    ...(prompt === null ? [] : [JSON.stringify(promptLine(prompt, runtime))]),
  ].map(line => `${line}\n`)
}

/**
 * `client_composed` says that the text is not to be searched for /commands and @files. Versions that do not
 * know it search the last text block only, and drop blank blocks from what they send: so a blank one comes last.
 */
function promptLine(prompt: string, runtime: Runtime): object {
  if (prompt.trim() === '')
    throw new RepriseError(
      'bad-input',
      'the prompt is blank',
      'Give the prompt as an argument of `reprise send`, or as `prompt` of the request.',
    )
  const message = (content: unknown) => ({ type: 'user', message: { role: 'user', content } })
  if (!runtime.quirks.includes('prompt-scanned')) {
    return { ...message(prompt), client_composed: true }
  }
  return message([
    { type: 'text', text: prompt },
    { type: 'text', text: ' ' },
  ])
}
