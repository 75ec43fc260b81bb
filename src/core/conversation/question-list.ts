// Lists of questions: open ones oldest first, closed ones latest first, page by page.
import type { Question, QuestionState } from './question.ts'

/** Where a question stands in a list. */
export type QuestionPlace = {
  /** When it was asked; in a list of closed questions, when it was closed. */
  readonly at: number
  readonly runId: string
  readonly toolUseId: string
}

/** What was closed last is what people look for; of what is open, the oldest waits longest. */
export function isLatestFirst(state: QuestionState | undefined): boolean {
  return state !== undefined && state !== 'open'
}

/** The text that stands for the place of a question: the next page begins after it. */
export function questionCursor(question: Question, state: QuestionState | undefined): string {
  const { runId, toolUseId, askedAt, closedAt } = question
  return `${(isLatestFirst(state) ? closedAt : null) ?? askedAt}.${runId}.${toolUseId}`
}

/** `null`: the text is no cursor. */
export function questionPlace(cursor: string): QuestionPlace | null {
  const [, at, runId, toolUseId] = /^(\d{1,15})\.([\w-]+)\.(.+)$/s.exec(cursor) ?? []
  if (at === undefined || runId === undefined || toolUseId === undefined) return null
  return { at: Number(at), runId, toolUseId }
}
