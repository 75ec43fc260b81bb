// How a run over ACP ended: which failures of the dialogue mean what.
import type { AgentResult } from '../../core/run/events.ts'
import type { FailureClass } from '../../core/run/run.ts'
import { hintsWith } from '../hints.ts'
import { outcomeBy } from '../outcome.ts'
import { classOfStatus } from '../status-class.ts'

/** The protocol has no codes for these. The words come from the program, not from the model. */
const BY_WORDS: readonly (readonly [RegExp, FailureClass])[] = [
  [/usage limit|limit reached/i, 'usage-limit'],
  [/rate.?limit|too many requests/i, 'rate-limit'],
  [/high demand|at capacity|overloaded/i, 'overload'],
  [/context (?:window|length)|too long|exceeds/i, 'too-long'],
  [/quota|billing|insufficient|credit/i, 'credit'],
  [/authenticat|unauthori[sz]ed|api.?key|log ?in|credentials/i, 'auth'],
  [/connect|network|timed out|timeout|ECONN|fetch failed/i, 'network'],
  [/server error|internal server/i, 'server-error'],
]

/** Words of the protocol for the end of a turn, and of our dialogue for one that never began. */
const BY_SUBTYPE: Readonly<Record<string, FailureClass>> = {
  max_tokens: 'output-limit',
  max_turn_requests: 'max-turns',
  refusal: 'refusal',
  'protocol-unknown': 'bad-request',
  'greeting-refused': 'bad-request',
}

export const outcomeOf = outcomeBy({
  unusable: [
    [/unknown (?:option|argument|command)|unexpected argument|command not found/i, 'bad-request'],
  ],
  classOf,
  refusalOf: (_, { result }) => (result && BY_SUBTYPE[result.subtype]) ?? 'resume-refused',
  hints: hintsWith({
    auth: "Log in with the agent's own program, or set its key (for the daemon: where it is started).",
    credit: 'Add credit to the account, or log in with another one.',
    address: "the model provider in the agent's own settings",
  }),
})

function classOf({ subtype, apiErrorStatus, errors }: AgentResult): FailureClass {
  const known = Object.hasOwn(BY_SUBTYPE, subtype) ? BY_SUBTYPE[subtype] : undefined
  if (known) return known
  const words = errors.join('\n')
  if (subtype === 'setting-refused') {
    return words.includes('offers no model') ? 'model-not-found' : 'bad-request'
  }
  const found = BY_WORDS.find(([pattern]) => pattern.test(words))?.[1]
  if (found === 'usage-limit' || found === 'credit') return found
  if (apiErrorStatus !== null) return classOfStatus(apiErrorStatus)
  return found ?? 'unknown'
}
