// How the fake agent fails: errors of the model's API, usage limits, refused resumes, too many turns.
import { NO_USAGE } from '../../core/run/events.ts'
import { failRequest } from './answer.ts'
import { eventLine, refusalEvent, resultEvent, systemLine } from './events.ts'
import type { StepOf } from './script.ts'
import { reportedCosts, type TurnState } from './turn.ts'
import type { FakeOutput } from './world.ts'

type ApiFailure = { readonly kind: string; readonly apiType: string; readonly text: string }

const API_FAILURES: Readonly<Record<number, ApiFailure>> = {
  400: { kind: 'unknown', apiType: 'invalid_request_error', text: 'API Error: 400 Bad request' },
  401: {
    kind: 'authentication_failed',
    apiType: 'authentication_error',
    text: 'Invalid API key · Fix external API key',
  },
  403: {
    kind: 'authentication_failed',
    apiType: 'permission_error',
    text: 'Failed to authenticate. API Error: 403 Forbidden',
  },
  404: {
    kind: 'model_not_found',
    apiType: 'not_found_error',
    text: "There's an issue with the selected model. It may not exist or you may not have access to it.",
  },
  413: {
    kind: 'invalid_request',
    apiType: 'request_too_large',
    text: 'Request too large (max 32MB)',
  },
  429: {
    kind: 'rate_limit',
    apiType: 'rate_limit_error',
    text: 'API Error: Request rejected (429) · Too many requests',
  },
  500: {
    kind: 'server_error',
    apiType: 'api_error',
    text: 'API Error: 500 Internal server error.',
  },
  529: { kind: 'server_error', apiType: 'overloaded_error', text: 'API Error: 529 Overloaded.' },
}

const NO_CONNECTION = {
  kind: 'server_error',
  text: 'API Error: Unable to connect to API (ConnectionRefused)',
}

export async function* failByApi(
  turn: TurnState,
  step: StepOf<'apiError'>,
): AsyncGenerator<FakeOutput, number> {
  const { status } = step
  const known = status === null ? NO_CONNECTION : (API_FAILURES[status] ?? unknownStatus(status))
  const retries = step.retries ?? 0
  for (let attempt = 1; attempt <= retries; attempt++)
    yield eventLine(
      systemLine(turn, 'api_retry', {
        attempt,
        max_retries: retries,
        retry_delay_ms: 500 * attempt,
        error_status: status,
        error: step.kind ?? known.kind,
      }),
    )
  return yield* failRequest(turn, {
    ...known,
    status,
    kind: step.kind ?? known.kind,
    text: step.message ?? known.text,
    ...(step.terminalReason !== undefined && { terminalReason: step.terminalReason }),
    ...(status === null ? { apiError: 'connection_failed' } : {}),
  })
}

export async function* failByLimit(
  turn: TurnState,
  step: StepOf<'usageLimit'>,
): AsyncGenerator<FakeOutput, number> {
  const limit = { status: 'rejected', resetsAt: step.resetsAt, rateLimitType: 'five_hour' }
  yield eventLine({
    type: 'rate_limit_event',
    rate_limit_info: { ...limit, isUsingOverage: false },
    uuid: turn.world.uuid(),
    session_id: turn.sessionId,
  })
  const resets = new Date(step.resetsAt * 1000).toISOString().slice(11, 16)
  return yield* failRequest(turn, {
    status: 429,
    kind: 'rate_limit',
    text: `You've hit your session limit · resets ${resets} (UTC)`,
    apiType: 'rate_limit_error',
    apiError: 'usage_limit_reached',
  })
}

export async function* refuseResume(
  turn: TurnState,
  step: StepOf<'refuseResume'>,
): AsyncGenerator<FakeOutput, number> {
  const asked = turn.args.resume ?? ''
  const words = step.words ?? `No conversation found with session ID: ${asked}`
  const ids = { fresh: turn.world.uuid(), echo: asked, none: null }
  const sessionId = ids[step.idInStream ?? 'echo']
  const refusal = refusalEvent(words, { uuid: turn.world.uuid(), sessionId })
  // What it asked the model before is paid.
  const paid = turn.usage !== NO_USAGE && { total_cost_usd: reportedCosts(turn).totalUsd }
  yield eventLine({ ...refusal, ...paid })
  yield { to: 'stderr', line: words }
  return 1
}

export async function* failByTurns(turn: TurnState): AsyncGenerator<FakeOutput, number> {
  yield eventLine(
    resultEvent(turn, {
      subtype: 'error_max_turns',
      is_error: true,
      result: undefined,
      stop_reason: 'tool_use',
      terminal_reason: 'max_turns',
      errors: ['Reached maximum number of turns (1)'],
    }),
  )
  return 1
}

function unknownStatus(status: number): ApiFailure {
  return { kind: 'unknown', apiType: 'api_error', text: `API Error: ${status}` }
}
