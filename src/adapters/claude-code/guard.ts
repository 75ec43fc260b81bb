// Claude Code asks before each call, also those of subagents, by a hook that Reprise answers over the input of the process.
// Without an answer the call does not run. No setting of the repository or the user turns the hook off (both versions).

import type { Ruling } from '../../core/fence/fence.ts'
import type { AgentEvent } from '../../core/run/events.ts'
import { type Fields, fieldsIn, textIn } from '../fields.ts'

const CALLBACK = 'fence'

/** The first line on stdin: it registers the hooks. */
export const GUARD_LINE = JSON.stringify({
  type: 'control_request',
  request_id: 'guard',
  request: {
    subtype: 'initialize',
    hooks: { PreToolUse: [{ matcher: '*', hookCallbackIds: [CALLBACK] }] },
  },
})

/** Turns background subagents off: 2.1.325 would run them after the result, when nobody answers the hook any more. */
export const GUARD_ENV = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' } as const

/** The beginning of a refusal. In 2.1.197 only this text shows that a call was refused. */
const REFUSED = 'Refused by the fence of this tier: '

/** A refusal as it appears in a result; 2.1.325 puts words of its own before it. */
export const GUARD_DENIAL = new RegExp(`^(?:PreToolUse:\\w{1,200} hook error: )?${REFUSED}`)

/** `control_request`: a call waits for our ruling. */
export function callAsked(event: Fields): readonly AgentEvent[] | null {
  const request = fieldsIn(event.request)
  if (request?.subtype !== 'hook_callback' || request.callback_id !== CALLBACK) return null
  const input = fieldsIn(request.input)
  const [requestId, id] = [textIn(event.request_id), textIn(request.tool_use_id)]
  const name = textIn(input?.tool_name)
  if (requestId === null || id === null || name === null) return null
  const asked = { requestId, id, name, input: JSON.stringify(input?.tool_input ?? {}) }
  return [{ type: 'call-asked', ...asked }]
}

/** A call that passes here still has to pass the program's own rules. */
export function guardAnswer(requestId: string, ruling: Ruling): string {
  const response = { subtype: 'success', request_id: requestId, response: hookOutput(ruling) }
  return `${JSON.stringify({ type: 'control_response', response })}\n`
}

function hookOutput(ruling: Ruling): object {
  switch (ruling.kind) {
    case 'pass':
      return {}
    case 'park':
      return decision({ permissionDecision: 'defer' })
    case 'refuse':
      return decision({
        permissionDecision: 'deny',
        permissionDecisionReason: `${REFUSED}${ruling.why}.`,
      })
  }
}

function decision(fields: object): object {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } }
}
