// The `system` events that say something about the session, retries and losses.
import type { AgentEvent } from '../../../core/run/events.ts'
import { type Fields, fieldsIn, fieldsOf, numberIn, textIn, textsOf } from '../../fields.ts'

/** Known subtypes that nobody needs: they become no event, not even `unknown`. */
const QUIET_SUBTYPES = new Set([
  'hook_progress',
  'hook_response',
  'informational',
  'model_refusal_no_fallback',
  'session_state_changed',
  'status',
  'task_notification',
  'task_progress',
  'task_started',
  'task_updated',
  'thinking_tokens',
])

/** `null` for a subtype that is not known. */
export function systemEvent(event: Fields): readonly AgentEvent[] | null {
  const subtype = textIn(event.subtype) ?? ''
  switch (subtype) {
    case 'init':
      return sessionEvent(event)
    case 'hook_started':
      return [{ type: 'hook', name: (textIn(event.hook_name) ?? 'a hook').slice(0, 200) }]
    case 'api_retry':
      return [retryEvent(event)]
    case 'compact_boundary':
      return [compactedEvent(event)]
    case 'session_writes_lost':
      return [notice('session-writes-lost', event, 'The agent could not save its session.')]
    case 'model_fallback':
      return [notice('model-fallback', event, 'The agent continued with another model.')]
    default:
      return QUIET_SUBTYPES.has(subtype) ? [] : null
  }
}

function sessionEvent(event: Fields): readonly AgentEvent[] | null {
  const sessionId = textIn(event.session_id)
  if (!sessionId) return null
  return [
    {
      type: 'session',
      sessionId,
      model: textIn(event.model),
      version: textIn(event.claude_code_version),
      tools: textsOf(event.tools),
      permissionMode: textIn(event.permissionMode),
      servers: fieldsOf(event.mcp_servers).flatMap(({ name }) => textIn(name) ?? []),
      agents: textsOf(event.agents),
      plugins: pluginsIn(event),
    },
  ]
}

/** Leaves out those that come with the program itself. */
function pluginsIn({ plugins }: Fields): readonly string[] {
  return fieldsOf(plugins).flatMap(({ name, source }) =>
    textIn(source)?.endsWith('@builtin') ? [] : (textIn(name) ?? []),
  )
}

function retryEvent(event: Fields): AgentEvent {
  return {
    type: 'retry',
    attempt: numberIn(event.attempt) ?? 0,
    maxAttempts: numberIn(event.max_retries) ?? 0,
    delayMs: numberIn(event.retry_delay_ms) ?? 0,
    status: numberIn(event.error_status),
    error: textIn(event.error) ?? 'unknown',
  }
}

function compactedEvent(event: Fields): AgentEvent {
  const metadata = fieldsIn(event.compact_metadata)
  return {
    type: 'compacted',
    trigger: textIn(metadata?.trigger) ?? 'unknown',
    tokensBefore: numberIn(metadata?.pre_tokens),
  }
}

function notice(code: string, event: Fields, otherwise: string): AgentEvent {
  const text = textIn(event.content) ?? textIn(event.message) ?? otherwise
  return { type: 'notice', code, text: text.slice(0, 1_000) }
}
