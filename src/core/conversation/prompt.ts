// The prompt of a run. Prompt and arguments come from the same decision, so no turn repeats what the session has seen.

import type { EarlierWork } from '../chain/tier-prompt.ts'
import { isNative } from '../decide/continuation.ts'
import type { Decision, Reason } from '../decide/decision.ts'
import { reasonWords } from '../decide/explain.ts'
import {
  dataBlock,
  headedBlock,
  instructionsBlock,
  oneLine,
  type PromptMark,
  quoted,
} from './data-block.ts'
import { MAY_HAVE_RUN } from './interruption.ts'
import type { Message } from './messages.ts'
import { transcriptOf } from './transcript.ts'

export type PromptParts = {
  readonly view: readonly Message[]
  /** The user's new message, as written. */
  readonly message: string
  /** Instructions that the system-prompt flag cannot deliver this time; `null` when it can, or when nothing changed. */
  readonly instructions: string | null
  /** Set for a tier of a chain: its prompt is the only new input of a continued session. */
  readonly purpose?: 'chain'
  /** Set for a tier that begins: what the tiers below did. */
  readonly earlier?: EarlierWork
  /** What a run gets in place of a session and of a transcript. */
  readonly note?: string
  /** What became of the files of the work dir, when they come from another host. */
  readonly files?: string
  /** Random, and used for this prompt alone. */
  readonly mark: PromptMark
  /** Most characters the whole may have (from the model's window). */
  readonly maxChars: number
}

export type Prompt = {
  readonly text: string
  /** Messages of the view that did not fit and were left out, oldest first. */
  readonly leftOut: number
}

/** Keeps a resumed agent from answering old questions again. */
export const FOCUS_LINE =
  'Earlier questions and forms in this conversation are settled. Act on this message:'

const GOES_ON = 'The conversation goes on with this message:'

export function composePrompt(decision: Decision, parts: PromptParts): Prompt {
  switch (decision.action) {
    case 'start':
      return {
        text: joined([changedInstructions(parts), arrived(parts), parts.message]),
        leftOut: 0,
      }
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
  const { mark, view } = parts
  const missed = view.slice(catchUpFrom)
  const catchUp = missed.length > 0 ? transcriptOf(missed, { mark, maxChars: roomIn(parts) }) : null
  const opening = 'This was said in the conversation since you last spoke'
  const text = joined([
    changedInstructions(parts),
    catchUp && headedBlock(mark, { name: 'missed', opening, content: catchUp.text }),
    missed.some(hasOpenCall) ? MAY_HAVE_RUN : null,
    arrived(parts),
    parts.purpose === 'chain' ? (parts.earlier?.inConversation ?? null) : FOCUS_LINE,
    parts.message,
  ])
  return { text, leftOut: catchUp?.leftOut ?? 0 }
}

function hasOpenCall({ tools }: Message): boolean {
  return tools.some(({ result }) => result === null)
}

/** Without a note the tier gets the transcript: a long prompt is better than an agent that knows nothing. */
function handedOver(
  decision: Extract<Decision, { action: 'handover' }>,
  parts: PromptParts,
): Prompt {
  const { reason, checks } = decision
  if (parts.note === undefined) return replayed({ action: 'replay', reason, checks }, parts)
  const opening =
    reason.code === 'no-session' && parts.purpose !== 'chain'
      ? 'You join a conversation that is under way. This note tells what was asked and done in it'
      : `${lost(reason, parts)} This note tells what was done and found in it`
  const text = joined([
    changedInstructions(parts),
    dataBlock(parts.mark, { name: 'handover', opening, content: parts.note }),
    arrived(parts),
    parts.purpose === 'chain' ? null : GOES_ON,
    parts.message,
  ])
  return { text, leftOut: 0 }
}

function replayed(decision: Extract<Decision, { action: 'replay' }>, parts: PromptParts): Prompt {
  // The session that we write holds the conversation.
  if (isNative(decision)) {
    const text = joined([changedInstructions(parts), arrived(parts), parts.message])
    return { text, leftOut: 0 }
  }
  const { mark, view } = parts
  const transcript = transcriptOf(view, { mark, maxChars: roomIn(parts) })
  const opening =
    decision.reason.code === 'no-session' || decision.reason.code === 'tier-agent-changed'
      ? 'You join a conversation that is under way. This is its transcript'
      : `${lost(decision.reason, parts)} This is the transcript of the conversation`
  const text = joined([
    changedInstructions(parts),
    headedBlock(mark, { name: 'transcript', opening, content: transcript.text }),
    arrived(parts),
    GOES_ON,
    parts.message,
  ])
  return { text, leftOut: transcript.leftOut }
}

function lost(reason: Reason, { earlier, mark }: PromptParts): string {
  const session = earlier ? `The session of ${earlier.whose}` : 'Your earlier session'
  if (reason.code === 'tier-entered' || reason.code === 'carried-over')
    return `${session} does not go on here.`
  if (reason.code === 'tier-agent-changed') return `${session} belongs to another agent.`
  // The reason can hold paths and text of the agent.
  const why = quoted(mark, oneLine(reasonWords(reason)))
  return `${session} could not be continued (${why}).`
}

/** How many characters the other parts of the prompt leave for a transcript. */
function roomIn(parts: PromptParts): number {
  return parts.maxChars - parts.message.length - changedInstructions(parts).length - 1_000
}

function changedInstructions({ instructions, mark }: PromptParts): string {
  return instructions === null ? '' : instructionsBlock(mark, instructions)
}

/** The path in it is ours, and it holds nothing of the repository. */
function arrived({ files }: PromptParts): string | null {
  return files ?? null
}

function joined(parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join('\n\n')
}
