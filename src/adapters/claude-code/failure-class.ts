// Why a request of the agent failed, as its result says.
import type { AgentResult } from '../../core/run/events.ts'
import type { FailureClass } from '../../core/run/run.ts'
import type { OutcomeFacts } from '../adapter.ts'
import { classOfStatus } from '../status-class.ts'

const BY_SUBTYPE: ReadonlyMap<string, FailureClass> = new Map([
  ['error_max_turns', 'max-turns'],
  ['error_max_budget_usd', 'budget'],
])

const BY_TERMINAL_REASON: ReadonlyMap<string, FailureClass> = new Map([
  ['max_turns', 'max-turns'],
  ['budget_exhausted', 'budget'],
  ['prompt_too_long', 'too-long'],
  ['blocking_limit', 'too-long'],
])

const BY_KIND: ReadonlyMap<string, FailureClass> = new Map([
  ['authentication_failed', 'auth'],
  ['authentication_error', 'auth'],
  ['permission_error', 'auth'],
  ['billing_error', 'credit'],
  ['model_not_found', 'model-not-found'],
  ['rate_limit', 'rate-limit'],
  ['rate_limit_error', 'rate-limit'],
  ['overloaded', 'overload'],
  ['overloaded_error', 'overload'],
  ['invalid_request', 'bad-request'],
  ['invalid_request_error', 'bad-request'],
])

// The program gives neither status nor kind for these. The text comes from the program, not from the model.
const NETWORK =
  /Unable to connect|ConnectionRefused|FailedToOpenSocket|ECONN\w+|ENOTFOUND|EAI_AGAIN|EPIPE|timed out|socket|[Nn]etwork/
const OVERLOAD = /\b529\b|[Oo]verloaded/

export function classOf(result: AgentResult, observed: OutcomeFacts): FailureClass {
  const limited = observed.limitRejected && byRequest(result) === 'rate-limit'
  if (limited) return 'usage-limit'
  if (result.stopReason === 'refusal') return 'refusal'
  return (
    BY_SUBTYPE.get(result.subtype) ??
    BY_TERMINAL_REASON.get(result.terminalReason ?? '') ??
    byRequest(result)
  )
}

function byRequest(result: AgentResult): FailureClass {
  const { apiErrorStatus: status, errorKind: kind } = result
  // Too little credit has status 400, so the kind counts where it says more than the status.
  if (kind === 'billing_error') return 'credit'
  if (status !== null) return classOfStatus(status)
  return BY_KIND.get(kind ?? '') ?? byText(result)
}

function byText(result: AgentResult): FailureClass {
  const text = [result.text ?? '', ...result.errors].join('\n')
  if (OVERLOAD.test(text)) return 'overload'
  if (NETWORK.test(text)) return 'network'
  return result.errorKind === 'server_error' ? 'server-error' : 'unknown'
}
