// The `result` event, with which the agent ends a turn.
import type { AgentResult } from '../../../core/run/events.ts'
import { type Fields, fieldsIn, numberIn, textIn, textsOf } from '../../fields.ts'
import { modelsIn, usageIn } from './usage.ts'

/** The agent ended because a hook of ours parked a call. */
export const TOOL_DEFERRED = 'tool_deferred'

/** `errorKind` is what the message of a failed request called its error, where there was one. */
export function resultOf(event: Fields, errorKind: string | null): AgentResult {
  const subtype = textIn(event.subtype) ?? ''
  const isError = event.is_error === true
  const sinceLast = fieldsIn(event.model_usage_since_last_result)
  return {
    type: 'result',
    ok: subtype === 'success' && !isError,
    subtype,
    sessionId: textIn(event.session_id),
    text: textIn(event.result),
    errors: textsOf(event.errors),
    apiErrorStatus: numberIn(event.api_error_status),
    errorKind: isError ? (errorKind ?? textIn(event.api_error_type)) : null,
    stopReason: textIn(event.stop_reason),
    terminalReason: textIn(event.terminal_reason),
    turns: numberIn(event.num_turns) ?? 0,
    durationMs: numberIn(event.duration_ms),
    totalCostUsd: numberIn(event.total_cost_usd),
    models: modelsIn(event.modelUsage),
    modelsSinceLastResult: sinceLast && modelsIn(sinceLast),
    usage: usageIn(event.usage),
    ...(event.structured_output !== undefined && { structured: event.structured_output }),
    ...(event.terminal_reason === TOOL_DEFERRED && { atParkedCall: true }),
    unasked: fieldsIn(event.origin)?.kind === 'task-notification',
  }
}
