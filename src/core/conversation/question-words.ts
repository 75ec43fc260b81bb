// Every word about how a question is answered, for all who show questions.
import type { Answer, QuestionDelivery, RunPermission } from './question.ts'

/** What happens with an answer. A delivery without words does not compile. */
export const DELIVERY_WORDS: Readonly<Record<QuestionDelivery, string>> = {
  live: 'The process waits. Your answer goes to it at once.',
  parked: 'No process waits. Your answer resumes the session at this very call.',
  restated: 'The process is gone. Your answer goes to the agent with the next prompt.',
}

/** What was answered, in one line. */
export function answerWords(answer: Answer | null): string {
  if (answer === null) return 'not answered'
  switch (answer.kind) {
    case 'allow':
      return answer.forRun ? runPermissionWords(answer.forRun) : 'allowed'
    case 'deny':
      return `denied: ${answer.message}`
    case 'choices':
      return Object.values(answer.choices).join('; ')
  }
}

function runPermissionWords({ rule, by }: RunPermission): string {
  return by === 'user'
    ? `allowed for this run: ${rule.words}`
    : `allowed without asking, as this run may: ${rule.words}`
}
