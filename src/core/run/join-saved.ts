// What was heard of a run and what its session file holds, as one: whoever was killed in between has heard less than was saved.
import type { ToolUse } from '../conversation/messages.ts'
import { type Request, storedTool } from './observe.ts'

/** Each request once. The stream knows those of subagents; the file the last ones of a run that nobody heard to its end. */
export function joinRequests(
  heard: Iterable<Request>,
  saved: readonly Request[],
): readonly Request[] {
  const joined = new Map([...heard].map(request => [request.requestId, request]))
  for (const request of saved) {
    const known = joined.get(request.requestId)
    // A request that was heard only to begin tells one token of what it said.
    if (known && known.usage.outputTokens >= request.usage.outputTokens) continue
    joined.set(request.requestId, request)
  }
  return [...joined.values()]
}

/**
 * A call that is in the file has been made; with its result there, it is known how it ended. Not so in a run that
 * we began to stop: the agent may have saved a rejection of a call that ran. The values in `secrets` are left out.
 */
export function joinTools(
  heard: ReadonlyMap<string, ToolUse>,
  saved: readonly ToolUse[],
  {
    stopBegan,
    secrets = [],
  }: { readonly stopBegan: boolean; readonly secrets?: readonly string[] },
): readonly ToolUse[] {
  const joined = new Map(heard)
  for (const tool of saved) {
    const known = joined.get(tool.id)
    const result = stopBegan ? null : tool.result
    if (!known || (known.result === null && result !== null)) {
      const ended = { result, isError: tool.isError && result !== null }
      joined.set(tool.id, storedTool({ ...tool, ...ended }, secrets))
    }
  }
  return [...joined.values()]
}

/** Both tell the same words in the same order; one of them may have come further. */
export function joinTexts(heard: string, saved: string): string {
  return saved.length > heard.length ? saved : heard
}
