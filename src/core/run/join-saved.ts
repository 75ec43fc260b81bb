// Joins what Reprise read from the stream of a run with what its session file holds. A process that was killed has read less.
import type { ToolUse } from '../conversation/messages.ts'
import { type Request, storedTool } from './observe.ts'

/** Each request once. Only the stream has those of subagents; only the file has those after the stream broke off. */
export function joinRequests(
  heard: Iterable<Request>,
  saved: readonly Request[],
): readonly Request[] {
  const joined = new Map([...heard].map(request => [request.requestId, request]))
  for (const request of saved) {
    const known = joined.get(request.requestId)
    // When only the beginning of a request was read, its usage counts one output token.
    if (known && known.usage.outputTokens >= request.usage.outputTokens) continue
    joined.set(request.requestId, request)
  }
  return [...joined.values()]
}

/**
 * A call in the file was made, and its result there says how it ended. In a run that Reprise began to stop, the result
 * stays unknown: the agent may have saved a rejection of a call that ran. The values in `secrets` are left out.
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

/** Both hold the same text; one of them may be longer. */
export function joinTexts(heard: string, saved: string): string {
  return saved.length > heard.length ? saved : heard
}
