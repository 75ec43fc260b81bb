// How a run of pi ended. Its exit code is 0 also when the model could not be reached: only its last message counts.
import type { AgentResult } from '../../core/run/events.ts'
import type { FailureClass } from '../../core/run/run.ts'
import { hintsWith } from '../hints.ts'
import { outcomeBy } from '../outcome.ts'
import { classOfStatus } from '../status-class.ts'

/** The text comes from the program or from the API, not from the model. */
const BY_WORDS: readonly (readonly [RegExp, FailureClass])[] = [
  [/usage limit/i, 'usage-limit'],
  [/quota|billing|insufficient/i, 'credit'],
  [/context (?:window|length)|too long/i, 'too-long'],
  [/overloaded|at capacity/i, 'overload'],
  [/connect|network|timed out|fetch failed/i, 'network'],
]

export const outcomeOf = outcomeBy({
  unusable: [
    [/Unknown option/i, 'bad-request'],
    [/No models? (?:match|found|available)|Model "[^"\n]*" not found/i, 'model-not-found'],
    [/No API key/i, 'auth'],
  ],
  classOf,
  refusalOf: () => 'resume-refused',
  hints: hintsWith({
    auth: 'Log in with `pi`, or set the key of its provider (for the daemon: where it is started).',
    credit: 'Add credit to the account, or choose another provider (`--model`).',
    address: 'the provider in ~/.pi/agent/models.json',
  }),
})

function classOf({ subtype, apiErrorStatus, errors }: AgentResult): FailureClass {
  if (subtype === 'length') return 'output-limit'
  const words = errors.join('\n')
  const found = BY_WORDS.find(([pattern]) => pattern.test(words))?.[1]
  if (found === 'usage-limit' || found === 'credit') return found
  if (apiErrorStatus !== null) return classOfStatus(apiErrorStatus)
  return found ?? 'unknown'
}
