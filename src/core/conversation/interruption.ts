// The prompt after an interruption: what happened, which calls have an unknown end, and that the agent shall continue.

import { HAPPENED } from '../job/retry-words.ts'
import type { FailureClass } from '../run/failure.ts'
import { dataBlock, oneLine, type PromptMark } from './data-block.ts'
import type { ToolUse } from './messages.ts'

export type Interruption = {
  readonly happened: FailureClass
  /** The number of the attempt that begins now. */
  readonly attempt: number
  /** Calls of the work so far whose end is not known. */
  readonly openCalls: readonly ToolUse[]
}

export const GO_ON =
  'Go on with the task where the work stopped. Look at what is already done before you do anything again, do not start over, and finish it.'

/** Replaces what the agent says about a call that was running when the run was stopped. */
export const OUTCOME_UNKNOWN =
  'The run was stopped while this call was running. It is not known whether it took effect.'

/** For a session that may hold something false about such calls: Claude Code notes a rejection when it is stopped. */
export const MAY_HAVE_RUN =
  'The tool calls above whose end is not known may have taken effect, even if this conversation says that they were rejected. Find out before you rely on it or make them again.'

const MAX_CALLS = 20
const MAX_INPUT_CHARS = 300

export function interruptedWords(happened: FailureClass): string {
  return `The work on this task was interrupted: ${HAPPENED[happened]}.`
}

/** `null`: how every call ended is known. */
export function openCallsWords(openCalls: readonly ToolUse[], mark: PromptMark): string | null {
  if (openCalls.length === 0) return null
  const opening =
    'Of these tool calls, one on each line, it is not known whether they took effect, even if this conversation says that they were rejected'
  return dataBlock(mark, { name: 'calls', opening, content: calls(openCalls) })
}

function calls(open: readonly ToolUse[]): string {
  const lines = open
    .slice(-MAX_CALLS)
    .map(({ name, input }) => `${oneLine(name)} ${shortened(input)}`)
  const rest = open.length - lines.length
  return [...(rest > 0 ? [`(${rest} earlier ones left out)`] : []), ...lines].join('\n')
}

function shortened(text: string): string {
  const line = oneLine(text)
  return line.length <= MAX_INPUT_CHARS ? line : `${line.slice(0, MAX_INPUT_CHARS)}…`.toWellFormed()
}
