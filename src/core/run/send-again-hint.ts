// What a user does with a prompt whose run never began: the prompt is stored, and can be sent again.
import type { Run } from './run.ts'

export function sendAgainHint({
  threadId,
  promptMessageId,
}: Pick<Run, 'threadId' | 'promptMessageId'>): string {
  if (threadId === null || promptMessageId === null) return 'Send the prompt again: reprise send.'
  return `Send its prompt again: reprise threads retry ${threadId} ${promptMessageId}.`
}
