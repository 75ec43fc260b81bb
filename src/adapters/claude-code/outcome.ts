// How a run of Claude Code ended: its own words for a refused session, for unusable arguments and for a missing login.
import type { AgentResult } from '../../core/run/events.ts'
import type { FailureClass } from '../../core/run/run.ts'
import type { Adapter, Outcome, RunSpec } from '../adapter.ts'
import { hintsWith } from '../hints.ts'
import { outcomeBy } from '../outcome.ts'
import { classOf } from './failure-class.ts'

const HINTS = hintsWith({
  auth: 'Check ANTHROPIC_API_KEY, or log in with `claude` and `/login`.',
  credit: 'Add credit to the account, or set ANTHROPIC_API_KEY to another key.',
  address: 'ANTHROPIC_BASE_URL',
})

const ending = outcomeBy({
  unusable: [
    [
      /unknown option|argument '[^'\n]{0,500}' is invalid|cannot be used with root|already in use|Invalid session ID/,
      'bad-request',
    ],
  ],
  classOf,
  refusalOf: ({ kind }, { result }) =>
    kind === 'fork' && result !== null ? forkRefusal(result) : 'resume-refused',
  hints: HINTS,
})

export const outcomeOf: Adapter['outcomeOf'] = (spec, observed, exit) =>
  withLoginHint(ending(spec, observed, exit), spec)

/** Under trust `none` the user's settings do not take part, so an apiKeyHelper in them does not log in. */
function withLoginHint(outcome: Outcome, { trust }: RunSpec): Outcome {
  if (trust !== 'none' || outcome.kind !== 'failed' || outcome.failure.class !== 'auth')
    return outcome
  const hint = `${HINTS.auth} With trust none, an apiKeyHelper or variables in your settings have no effect: use \`--trust user\`, or \`trust: user\` in the policy.`
  return { ...outcome, failure: { ...outcome.failure, hint } }
}

/** Only the words tell the two apart. When in doubt, the anchor is missing: that does not retire the session. */
function forkRefusal(result: AgentResult): FailureClass {
  const words = result.errors.join('\n')
  return /No conversation found|Failed to resume session|requires a valid session ID/.test(words)
    ? 'resume-refused'
    : 'anchor-missing'
}
