// Finds the tool calls of a broken-off run that have no result.
import type { ToolUse } from '../../core/conversation/messages.ts'
import type { Run } from '../../core/run/run.ts'
import type { Dependencies } from '../dependencies.ts'

export async function openCallsOf(
  { store }: Dependencies,
  run: Run | undefined,
): Promise<readonly ToolUse[]> {
  const answer = run?.answerMessageId ? await store.message(run.answerMessageId) : null
  return answer?.tools.filter(tool => tool.result === null) ?? []
}
