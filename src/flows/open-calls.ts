// What was left unfinished when a run ended, as far as anybody knows.
import type { ToolUse } from '../core/messages.ts'
import type { Run } from '../core/run.ts'
import type { Parts } from './parts.ts'

export async function openCallsOf(
  { store }: Parts,
  run: Run | undefined,
): Promise<readonly ToolUse[]> {
  const answer = run?.answerMessageId ? await store.message(run.answerMessageId) : null
  return answer?.tools.filter(tool => tool.result === null) ?? []
}
