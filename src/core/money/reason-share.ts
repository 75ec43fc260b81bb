// How runs continued, and why those that did not resume did not: counted over many runs.
import type { Decision, Reason } from '../decide/decision.ts'

/** How many runs were decided like this. */
export type ReasonCount = {
  readonly action: Decision['action']
  /** `null` for `resume`, which needs no reason. */
  readonly code: Reason['code'] | null
  readonly runs: number
  /** How many of them really continued a session. */
  readonly resumed: number
}

/** How many runs continued like this for this reason, and which share of all runs that is. */
export type ReasonShare = {
  readonly action: Decision['action']
  /** `null` for `resume`, which needs no reason. */
  readonly code: Reason['code'] | null
  /** The reason in a few words; empty for `resume`. */
  readonly words: string
  readonly runs: number
  readonly share: number
}

export function reasonShares(counts: readonly ReasonCount[]): readonly ReasonShare[] {
  const all = counts.reduce((sum, { runs }) => sum + runs, 0)
  return counts
    .map(({ action, code, runs }) => {
      return {
        action,
        code,
        words: code === null ? '' : REASON_TITLES[code],
        runs,
        share: runs / all,
      }
    })
    .toSorted((a, b) => b.runs - a.runs)
}

/** The share of runs that continued a session among those that had something to continue; `null`: there were none. */
export function hitRate(counts: readonly ReasonCount[]): number | null {
  const had = counts.filter(({ action }) => action !== 'start')
  const runs = had.reduce((sum, count) => sum + count.runs, 0)
  const resumed = had.reduce((sum, count) => sum + count.resumed, 0)
  return runs === 0 ? null : resumed / runs
}

/** A reason without data, for many runs at once. A reason without a title does not compile. */
const REASON_TITLES: Readonly<Record<Reason['code'], string>> = {
  'agent-cannot-resume': 'the agent cannot resume sessions',
  'resume-off': 'resuming was switched off',
  'fresh-asked': 'a fresh session was asked for',
  'first-turn': 'it was the first turn',
  'no-session': 'the agent had no session in the thread',
  'tier-agent-changed': 'the next tier of a chain had another agent',
  'session-unconfirmed': 'the agent never saved the session',
  'session-retired': 'the session was retired',
  'history-changed': 'the thread was edited or cut',
  'foreign-turns': 'somebody else continued the session',
  'directory-changed': 'the work dir was another one',
  'runtime-changed': 'the agent program was another one',
  'session-too-old': 'the session was too old',
  'resumes-fruitless': 'resumes brought no answers',
  'context-full': 'the session was too full',
  'file-missing': 'the session file was gone',
  'file-damaged': 'the session file was damaged',
  'tier-entered': 'each tier has a session of its own',
  'caller-asked': 'the caller wanted a fork',
  'carried-over': 'long outputs of the session were cut',
  'session-busy': 'the session was in use',
  'fact-unknown': 'a fact was not known',
  'resume-refused': 'the agent refused the session',
}
