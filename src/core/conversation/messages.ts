// Messages are immutable and known by their content; a branch is a list of them; a view is what one agent is shown.
import { hashText } from '../hash-text.ts'

export type Role = 'user' | 'assistant'

/** A tool call of an assistant message, kept so that a replay can tell what was done. */
export type ToolUse = {
  readonly id: string
  readonly name: string
  /** The input as JSON text, bounded and redacted when it was stored. */
  readonly input: string
  /** The result's text, bounded and redacted; `null` while it is not known how the call ended. */
  readonly result: string | null
  readonly isError: boolean
}

export type Message = {
  /** Unique: two "continue" are two messages. */
  readonly id: string
  readonly role: Role
  /** Who said it; `null` for the user. */
  readonly agent: string | null
  readonly text: string
  readonly tools: readonly ToolUse[]
  /** The turn ended before the agent was done. */
  readonly interrupted: boolean
  /** Of role, agent and text. */
  readonly hash: string
  readonly runId: string | null
  readonly createdAt: number
}

export type View = 'all' | 'own'

export function hashOf(content: Pick<Message, 'role' | 'agent' | 'text'>): string {
  return hashText(JSON.stringify([content.role, content.agent, content.text]))
}

/** What a user says. */
export function userMessage(said: Pick<Message, 'id' | 'text' | 'runId' | 'createdAt'>): Message {
  const content = { role: 'user' as const, agent: null, text: said.text.toWellFormed() }
  return { ...said, ...content, tools: [], interrupted: false, hash: hashOf(content) }
}

/** `all` shows the whole branch; `own` starts after the latest turn of a different agent. */
export function viewOf(branch: readonly Message[], view: View, agent: string): readonly Message[] {
  if (view === 'all') return branch
  const boundary = branch.findLastIndex(
    message => message.role === 'assistant' && message.agent !== agent,
  )
  return branch.slice(boundary + 1)
}
