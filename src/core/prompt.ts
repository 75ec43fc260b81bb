// What the agent gets to read. Takes the same decision value as the arguments do: that is how D-2 holds.
import { dataBlock } from './data-block.ts'
import type { Decision } from './decision.ts'
import { reasonWords } from './explain.ts'
import type { Message } from './messages.ts'
import { transcriptOf } from './transcript.ts'

export type PromptParts = {
  readonly view: readonly Message[]
  /** The user's new message, as written. */
  readonly message: string
  /** Instructions the system-prompt flag cannot deliver this time; `null` when it can or nothing changed. */
  readonly instructions: string | null
  /** A tier of a chain: its prompt is the sole new input of a session that goes on (E-4). */
  readonly purpose?: 'chain'
  /** What a tier gets in place of a session. */
  readonly note?: string
  /** Most characters the whole may have (from the model's window). */
  readonly maxChars: number
}

export type Prompt = {
  readonly text: string
  /** Messages of the view that did not fit and were left out, oldest first. */
  readonly leftOut: number
}

/** T-8: keeps a resumed agent from answering old questions again. */
export const FOCUS_LINE =
  'Earlier questions and forms in this conversation are settled. Act on this message:'

export function composePrompt(decision: Decision, parts: PromptParts): Prompt {
  switch (decision.action) {
    case 'start':
      return { text: joined([instructionsBlock(parts), parts.message]), leftOut: 0 }
    case 'resume':
    case 'fork':
      return continued(decision.catchUpFrom, parts)
    case 'replay':
      return replayed(decision, parts)
    case 'handover':
      return handedOver(decision, parts)
    case 'wait':
      throw new TypeError('a waiting turn has no prompt')
  }
}

function continued(catchUpFrom: number, parts: PromptParts): Prompt {
  const missed = parts.view.slice(catchUpFrom)
  const instructions = instructionsBlock(parts)
  const room = parts.maxChars - parts.message.length - instructions.length - 1_000
  const catchUp = missed.length > 0 ? transcriptOf(missed, room) : null
  const text = joined([
    instructions,
    catchUp &&
      dataBlock('missed', 'This was said in the conversation since you last spoke', catchUp.text),
    parts.purpose === 'chain' ? null : FOCUS_LINE,
    parts.message,
  ])
  return { text, leftOut: catchUp?.leftOut ?? 0 }
}

/** Without a note, the transcript: blind is worse than long. */
function handedOver(
  decision: Extract<Decision, { action: 'handover' }>,
  parts: PromptParts,
): Prompt {
  const { reason, checks } = decision
  if (parts.note === undefined) return replayed({ action: 'replay', reason, checks }, parts)
  const opening = `The earlier session could not be continued (${reasonWords(reason)}). This note tells what was done and found in it`
  const text = joined([
    instructionsBlock(parts),
    dataBlock('handover', opening, parts.note),
    parts.message,
  ])
  return { text, leftOut: 0 }
}

function replayed(decision: Extract<Decision, { action: 'replay' }>, parts: PromptParts): Prompt {
  const instructions = instructionsBlock(parts)
  const room = parts.maxChars - parts.message.length - instructions.length - 1_000
  const transcript = transcriptOf(parts.view, room)
  const opening =
    decision.reason.code === 'no-session'
      ? 'You join a conversation that is under way. This is its transcript'
      : `Your earlier session could not be continued (${reasonWords(decision.reason)}). This is the transcript of the conversation`
  const text = joined([
    instructions,
    dataBlock('transcript', opening, transcript.text),
    'The conversation goes on with this message:',
    parts.message,
  ])
  return { text, leftOut: transcript.leftOut }
}

function instructionsBlock({ instructions }: PromptParts): string {
  if (instructions === null) return ''
  const opening = 'Your instructions changed. These replace the earlier ones'
  return dataBlock('instructions', opening, instructions || '(none)')
}

function joined(parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join('\n\n')
}
