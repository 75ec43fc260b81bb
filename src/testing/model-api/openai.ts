// What the two APIs of OpenAI have in common: how they count tokens and how they name errors.
import type { BilledUsage } from './request.ts'
import type { WireError } from './wire.ts'

/** Cached tokens are a part of the input there, not beside it. */
export function openAiUsage(usage: BilledUsage) {
  const input = usage.inputTokens + usage.cacheReadTokens
  const output = usage.outputTokens
  return { input, output, cached: usage.cacheReadTokens, total: input + output }
}

/** The errors of a script have the names of the Messages API; any other name is sent as it is. */
const NAMES: Readonly<Record<string, { readonly type: string; readonly code: string | null }>> = {
  authentication_error: { type: 'invalid_request_error', code: 'invalid_api_key' },
  rate_limit_error: { type: 'requests', code: 'rate_limit_exceeded' },
  api_error: { type: 'server_error', code: null },
  overloaded_error: { type: 'server_error', code: null },
  invalid_request_error: { type: 'invalid_request_error', code: null },
  not_found_error: { type: 'invalid_request_error', code: 'model_not_found' },
}

export function openAiError({ type, message }: WireError): unknown {
  const names = NAMES[type] ?? { type, code: type }
  return { error: { message, type: names.type, param: null, code: names.code } }
}
