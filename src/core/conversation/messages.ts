// Messages are immutable and known by their content; a branch is a list of them; a view is what one agent is shown.
import { hashText } from '../hash-text.ts'

export type Role = 'user' | 'assistant'

/** A tool call of an assistant message. It is stored so that a replay can say what was done. */
export type ToolUse = {
  readonly id: string
  readonly name: string
  /** The input as JSON text, bounded and redacted when it was stored. */
  readonly input: string
  /** The text of the result, bounded and redacted; `null` while nobody knows how the call ended. */
  readonly result: string | null
  readonly isError: boolean
}

/** One thing that a user or an agent said. A message never changes. */
export type Message = {
  /** Unique: two messages with the same text have two ids. */
  readonly id: string
  readonly role: Role
  /** The agent that said it; `null` for the user. */
  readonly agent: string | null
  readonly text: string
  /** The tool calls of an answer. */
  readonly tools: readonly ToolUse[]
  /** The turn ended before the agent was done. */
  readonly interrupted: boolean
  /** The hash of role, agent and text. */
  readonly hash: string
  /** The run that the message belongs to. */
  readonly runId: string | null
  /** In milliseconds since 1970. */
  readonly createdAt: number
}

/** What an agent is shown: the whole branch, or what follows the latest turn of another agent. */
export type View = 'all' | 'own'

export function hashOf(content: Pick<Message, 'role' | 'agent' | 'text'>): string {
  return hashText(JSON.stringify([content.role, content.agent, content.text]))
}

/** Makes the message of a user. */
export function userMessage(said: Pick<Message, 'id' | 'text' | 'runId' | 'createdAt'>): Message {
  const content = { role: 'user' as const, agent: null, text: said.text.toWellFormed() }
  return { ...said, ...content, tools: [], interrupted: false, hash: hashOf(content) }
}

/** How many characters these messages have, with the inputs and results of their calls. */
export function charsIn(messages: readonly Message[]): number {
  const parts = messages.flatMap(({ text, tools }) => [
    text.length,
    ...tools.map(({ input, result }) => input.length + (result?.length ?? 0)),
  ])
  return parts.reduce((sum, chars) => sum + chars, 0)
}

/** `all` shows the whole branch; `own` starts after the latest turn of a different agent. */
export function viewOf(branch: readonly Message[], view: View, agent: string): readonly Message[] {
  if (view === 'all') return branch
  const boundary = branch.findLastIndex(
    message => message.role === 'assistant' && message.agent !== agent,
  )
  return branch.slice(boundary + 1)
}

/** What an agent reads in place of a stale result, in every form of a replay. */
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
