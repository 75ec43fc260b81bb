// What can be wrong with the file of a session, in words, and what a repair did to a copy of it.
import type { KnownPart } from './session.ts'

export const DAMAGE_KINDS = [
  'no-conversation',
  'torn-line',
  'glued-lines',
  'nul-bytes',
  'bad-text',
  'null-line',
  'stray-line',
  'no-message',
  'no-model',
  'no-timestamp',
  'no-id',
  'wrong-role',
  'duplicate-line',
  'duplicate-id',
  'broken-link',
  'circle',
  'out-of-order',
  'no-beginning',
  'orphan-call',
  'orphan-result',
  'double-result',
  'empty-message',
  'oversized-image',
  'foreign-turns',
  'known-end-missing',
] as const

export type DamageKind = (typeof DAMAGE_KINDS)[number]

/** One thing that is wrong with a session file. */
export type SessionDamage = {
  readonly kind: DamageKind
  /** Counts from 1; `null`: it is about the file as a whole. */
  readonly line: number | null
  /** What is wrong, in words. */
  readonly words: string
  /** What a repair does about it. */
  readonly remedy: string
}

/** How a repaired copy differs from the file, in lines. */
export type RepairedLines = {
  readonly kept: number
  readonly changed: number
  readonly dropped: number
  readonly added: number
}

/** A session file to be repaired on a copy. */
export type SessionRepairing = {
  /** The id of the copy. */
  readonly sessionId: string
  /** What Reprise knows of the session. */
  readonly known: KnownPart
  /** The model of the session, where Reprise knows it. */
  readonly model: string | null
  readonly uuid: () => string
}

export type SessionRepair = {
  /** Empty: the file is sound. */
  readonly found: readonly SessionDamage[]
  /** The text of the copy; `null`: the file holds no conversation. */
  readonly text: string | null
  readonly lines: RepairedLines
}

export function damageOf(kind: DamageKind, line: number | null): SessionDamage {
  const [words, remedy] = WORDS[kind]
  return { kind, line, words, remedy }
}

const LEFT_OUT = 'the line is left out'

const WORDS: Record<DamageKind, readonly [words: string, remedy: string]> = {
  'no-conversation': ['the file holds no conversation', 'nothing can be repaired'],
  'torn-line': ['the line is torn', LEFT_OUT],
  'glued-lines': ['a line was written onto the end of a torn one', 'the whole one is kept'],
  'nul-bytes': ['the line holds NUL bytes', 'the bytes are left out'],
  'bad-text': ['the line holds bytes that are not text', 'each of them becomes a replacement mark'],
  'null-line': ['the line is null, which the agent refuses', LEFT_OUT],
  'stray-line': ['the line is no record', LEFT_OUT],
  'no-message': ['the line has no message', LEFT_OUT],
  'no-model': [
    'the answer names no model, so the agent would hang',
    'it gets the model of another answer',
  ],
  'no-timestamp': ['the message has no time', 'it gets the time of its neighbour'],
  'no-id': ['the message has no id', 'it gets one'],
  'wrong-role': ['the message has the role of another kind', 'it gets its own'],
  'duplicate-line': ['the line is there twice', 'one is kept'],
  'duplicate-id': ['another line has the same id', 'the first one is kept'],
  'broken-link': ['the line before it is missing', 'it follows the one that stands before it'],
  circle: ['the line follows itself', 'it follows the one that stands before it'],
  'out-of-order': ['the line stands before the one that it follows', 'it is moved'],
  'no-beginning': ['the conversation begins with an answer', 'a line says that it began earlier'],
  'orphan-call': ['the call has no result', 'a result says that its end is not known'],
  'orphan-result': ['the result belongs to no call', 'it is left out'],
  'double-result': ['the call has a result already', 'it is left out'],
  'empty-message': [
    'the message is empty, which the model API refuses',
    'it says that it has no text',
  ],
  'oversized-image': ['an image is larger than the model API takes', 'a text takes its place'],
  'foreign-turns': ['turns follow that this thread does not know', 'they are left out'],
  'known-end-missing': [
    'the last message that this thread knows is not in the file',
    'the next turn tells what is missing',
  ],
}
