// The items of a turn of codex, as events of ours: texts, thoughts and calls of tools.
import type { AgentEvent } from '../../core/run/events.ts'
import { cutText } from '../../core/secrets/cut-text.ts'
import { type Fields, fieldsIn, textIn } from '../fields.ts'

/** Tools whose input has a `command` for a shell. */
export const SHELL_TOOLS: readonly string[] = ['command_execution']

const MAX_NOTICE_CHARS = 4_000

type Phase = 'started' | 'updated' | 'completed'

/** `begun` holds the calls that were reported when they began. `null`: an item that nobody here knows. */
export function itemEvents(
  item: Fields,
  phase: Phase,
  begun: Set<string>,
): readonly AgentEvent[] | null {
  const isOver = phase === 'completed'
  switch (item.type) {
    case 'agent_message':
      return isOver ? [{ type: 'text', text: textIn(item.text) ?? '' }] : []
    case 'reasoning':
      return isOver ? [{ type: 'thinking', text: textIn(item.text) ?? '' }] : []
    case 'error':
      return isOver ? [notice(textIn(item.message) ?? '')] : []
    case 'todo_list':
      return []
    default: {
      const call = callIn(item)
      return call && callEvents(item, call, { phase, begun })
    }
  }
}

function notice(text: string): AgentEvent {
  return { type: 'notice', code: 'agent-warning', text: cutText(text, MAX_NOTICE_CHARS) }
}

type Call = { readonly id: string; readonly name: string; readonly input: object }

function callIn(item: Fields): Call | null {
  const [id, name] = [textIn(item.id), textIn(item.type)]
  if (id === null || name === null) return null
  switch (name) {
    case 'command_execution':
      return { id, name, input: { command: textIn(item.command) ?? '' } }
    case 'file_change':
      return { id, name, input: { changes: item.changes ?? [] } }
    case 'web_search':
      return { id, name, input: { query: textIn(item.query) ?? '' } }
    case 'mcp_tool_call':
      return {
        id,
        name: `mcp__${textIn(item.server) ?? ''}__${textIn(item.tool) ?? ''}`,
        input: fieldsIn(item.arguments) ?? {},
      }
    default:
      return null
  }
}

function callEvents(
  item: Fields,
  { id, name, input }: Call,
  { phase, begun }: { phase: Phase; begun: Set<string> },
): readonly AgentEvent[] {
  const call: AgentEvent = {
    ...{ type: 'tool', id, name, parentId: null },
    input: JSON.stringify(input),
  }
  const isNew = !begun.has(id)
  begun.add(id)
  const events = isNew ? [call] : []
  return phase === 'completed' ? [...events, resultOf(item, id)] : events
}

function resultOf(item: Fields, id: string): AgentEvent {
  const status = textIn(item.status)
  const failure = textIn(fieldsIn(item.error)?.message)
  return {
    type: 'tool-result',
    id,
    isError: status === 'failed' || status === 'declined',
    denied: status === 'declined',
    text: textIn(item.aggregated_output) ?? failure ?? '',
  }
}
