// How a run of codex ended: its own words for a refused session, for unusable arguments and for failed requests.
import type { AgentResult } from '../../core/run/events.ts'
import type { FailureClass } from '../../core/run/run.ts'
import { hintsWith } from '../hints.ts'
import { outcomeBy } from '../outcome.ts'
import { classOfStatus } from '../status-class.ts'

/** Codex gives no status for these. The text comes from the program, not from the model. */
const BY_WORDS: readonly (readonly [RegExp, FailureClass])[] = [
  [/usage limit/i, 'usage-limit'],
  [/experiencing high demand|at capacity|overloaded/i, 'overload'],
  [/context window|input exceeds/i, 'too-long'],
  [/quota|billing|insufficient/i, 'credit'],
  [/error sending request|stream disconnected|connection|timed out|network/i, 'network'],
]

export const outcomeOf = outcomeBy({
  unusable: [
    [/error: (?:unexpected argument|invalid value|a value is required)/, 'bad-request'],
    [/Missing environment variable/, 'auth'],
  ],
  classOf,
  // Another process writes this thread now: the session is in order, but cannot be used.
  refusalOf: (_, { stderr }) =>
    stderr.includes('already has an active writer') ? 'anchor-missing' : 'resume-refused',
  hints: hintsWith({
    auth: 'Log in with `codex login`, or set OPENAI_API_KEY (for the daemon: where it is started).',
    credit: 'Add credit to the account, or log in with another one: `codex login`.',
    address: 'the model provider in ~/.codex/config.toml',
  }),
})

function classOf({ apiErrorStatus, errors }: AgentResult): FailureClass {
  const words = errors.join('\n')
  const found = BY_WORDS.find(([pattern]) => pattern.test(words))?.[1]
  if (found === 'usage-limit' || found === 'credit') return found
  if (apiErrorStatus !== null) return classOfStatus(apiErrorStatus)
  return found ?? 'unknown'
}
