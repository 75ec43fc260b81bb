// Results that a later run of the same call made stale. Every form of a replay leaves them out.
import type { Message, ToolUse } from './messages.ts'

/** What an agent reads in place of a stale result. */
export const RAN_AGAIN = '(ran again later)'

/** A result is stale when the same call ran again later. */
export function staleCalls(messages: readonly Message[]): ReadonlySet<ToolUse> {
  const latest = new Map<string, ToolUse>()
  const stale = new Set<ToolUse>()
  for (const tool of messages.flatMap(message => message.tools)) {
    const call = `${tool.name} ${tool.input}`
    const earlier = latest.get(call)
    if (earlier) stale.add(earlier)
    latest.set(call, tool)
  }
  return stale
}

/** A call whose end is not known stays so: it may have had effects. */
export function withoutStaleResults(messages: readonly Message[]): readonly Message[] {
  const stale = staleCalls(messages)
  if (stale.size === 0) return messages
  const isLeftOut = (tool: ToolUse) => stale.has(tool) && tool.result !== null
  return messages.map(message => ({
    ...message,
    tools: message.tools.map(tool => (isLeftOut(tool) ? { ...tool, result: RAN_AGAIN } : tool)),
  }))
}
