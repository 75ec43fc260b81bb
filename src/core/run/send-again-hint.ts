// What a user does with a prompt whose run never began: the prompt is stored, and can be sent again.
import type { Run } from './run.ts'

export function sendAgainHint({
  threadId,
  promptMessageId,
}: Pick<Run, 'threadId' | 'promptMessageId'>): string {
  if (threadId === null || promptMessageId === null) return 'Send the prompt again: reprise send.'
  return `Send its prompt again: reprise threads retry ${threadId} ${promptMessageId}.`
}

/** A turn that its caller cancels before its prompt is stored leaves nothing behind. */
export const CANCELLED_UNSTORED = {
  message: 'the turn was cancelled before its prompt was stored',
  hint: 'Nothing was sent. Send the prompt again to have it answered: `reprise send -t`.',
} as const
