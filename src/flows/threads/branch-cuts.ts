// Where a branch is cut: after a message, or before the prompt that is asked again.
import type { Message } from '../../core/conversation/messages.ts'
import { RepriseError } from '../../errors.ts'

export function upTo(
  branch: readonly Message[],
  threadId: string,
  messageId: string,
): readonly Message[] {
  return branch.slice(0, positionOf(branch, threadId, messageId) + 1)
}

export function positionOf(
  branch: readonly Message[],
  threadId: string,
  messageId: string,
): number {
  const index = branch.findIndex(message => message.id === messageId)
  if (index >= 0) return index
  throw new RepriseError(
    'not-found',
    `there is no message ${messageId} on the branch of thread ${threadId}`,
    `Run \`reprise threads show ${threadId}\` to see its messages.`,
  )
}

/** The prompt that a retry of the message asks again, and the messages before it. For an answer, that is its prompt. */
export function beforeRetried(
  branch: readonly Message[],
  threadId: string,
  messageId: string,
): { readonly prompt: Message; readonly kept: readonly Message[] } {
  const index = positionOf(branch, threadId, messageId)
  const at = branch.findLastIndex((message, i) => i <= index && message.role === 'user')
  const prompt = branch[at]
  if (prompt) return { prompt, kept: branch.slice(0, at) }
  const what = `message ${messageId} has no prompt before it that could be asked again`
  throw new RepriseError(
    'bad-input',
    what,
    'Retry a message of the user, or send a new one: `reprise send -t`.',
  )
}
