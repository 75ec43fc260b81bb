// What a thread's agent waits for.
import type { Reprise } from '../../../src/api.ts'
import type { Question } from '../../../src/core/conversation/question.ts'

/** Of this thread: other sequences may play on the same store. */
export async function openQuestion(
  { runs }: Reprise,
  threadId: string,
): Promise<Question | undefined> {
  const [waiting] = await runs.list({ threadId, status: 'waiting', limit: 1 })
  const asked = waiting ? await runs.questions(waiting.id) : []
  return asked.find(question => question.state === 'open')
}
