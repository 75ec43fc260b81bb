// How a run ended. Success is a result that says so. A refused resume is recognised by its structure.
import type { AgentResult } from '../core/run/events.ts'
import type { Exit, FailureClass, KillReason } from '../core/run/run.ts'
import type { Adapter, Outcome, OutcomeFacts, RunSpec } from './adapter.ts'
import type { Hints } from './hints.ts'

const MAX_MESSAGE_CHARS = 500

const KILLED: Readonly<Record<KillReason, { class: FailureClass; message: string }>> = {
  cancelled: { class: 'cancelled', message: 'the run was cancelled' },
  'no-first-event': {
    class: 'no-first-event',
    message: 'the agent did not begin the turn in time',
  },
  silent: { class: 'silent', message: 'the agent was silent for too long' },
  'too-slow': { class: 'too-slow', message: 'the run took longer than it may' },
  'hung-after-result': { class: 'silent', message: 'the agent did not end after its result' },
  'output-limit': { class: 'output-limit', message: 'the agent printed more than it may' },
  budget: { class: 'budget', message: 'the budget is spent' },
  'policy-violation': { class: 'policy-violation', message: 'a tool ran outside the tier' },
  shutdown: { class: 'shutdown', message: 'Reprise was stopped in order during the run' },
  'lease-lost': { class: 'supervisor-died', message: 'another process took over the session' },
  'database-away': {
    class: 'supervisor-died',
    message: 'the database was away for longer than the lease of the run',
  },
  'spool-full': {
    class: 'supervisor-died',
    message: 'the database was away, and the events of the run did not fit on the disk',
  },
}

/** How one agent says what went wrong. */
export type FailureWords = {
  /** On stderr: why the program starts no session, with what it means. A fresh session would fail the same way. */
  readonly unusable: readonly (readonly [RegExp, FailureClass])[]
  /** Why the request of a failed result failed. */
  classOf(result: AgentResult, observed: OutcomeFacts): FailureClass
  /** Why the agent did not continue a session: it named none before its result, or before its last words on stderr. */
  refusalOf(
    continuation: RunSpec['continuation'],
    said: { readonly result: AgentResult | null; readonly stderr: string },
  ): FailureClass
  readonly hints: Hints
}

export function outcomeBy(words: FailureWords): Adapter['outcomeOf'] {
  return (spec, observed, exit) => {
    const ending = { observed, exit, words }
    if (exit.endedBy === 'cancelled') return killed('cancelled', 'cancelled', ending)
    if (exit.endedBy === 'policy-violation' || exit.endedBy === 'budget') {
      return killed('failed', exit.endedBy, ending)
    }
    const refused = refusalOf(spec, ending)
    if (refused) return refused
    if (observed.result?.ok) return { kind: 'completed' }
    // The agent reported a failure and then did not end: the reported failure counts.
    const spoke = observed.result !== null && exit.endedBy === 'hung-after-result'
    if (exit.endedBy && !spoke) return killed('interrupted', exit.endedBy, ending)
    return observed.result ? failedResult(observed.result, ending) : withoutResult(ending)
  }
}

type Ending = {
  readonly observed: OutcomeFacts
  readonly exit: Exit
  readonly words: FailureWords
}

/** The evidence, strongest first: another session answers; a failure before any session; no output. */
function refusalOf({ continuation }: RunSpec, ending: Ending): Outcome | null {
  if (continuation.kind === 'new') return null
  const { observed, exit, words } = ending
  const { announcedSessionId: announced, result } = observed
  const said = { result, stderr: exit.stderr }
  if (announced !== null) {
    if (continuation.sessionId === null || announced === continuation.sessionId) return null
    return failed('resume-refused', `the agent answered as session ${announced}`, ending)
  }
  if (result !== null) {
    if (result.ok || result.turns > 0) return null
    return failed(
      words.refusalOf(continuation, said),
      wordsOf(result) || 'the agent refused the session',
      ending,
    )
  }
  // An agent that refuses a session ends by itself. An agent that was killed before its first line shows nothing about the session.
  if (exit.endedBy !== null || wasKilled(exit)) return null
  if (unusableAs(ending) !== null) return null
  if (observed.sawAnyEvent && exit.code === 0) return null
  const why = lastWords(exit) || 'the agent ended without a word'
  return failed(words.refusalOf(continuation, said), why, ending)
}

/** Killed by a signal. A shell around the agent reports it as an exit code over 128. */
function wasKilled({ code, signal }: Exit): boolean {
  return signal !== null || (code !== null && code > 128)
}

function failedResult(result: AgentResult, ending: Ending): Outcome {
  const message = wordsOf(result) || `the agent ended with ${result.subtype || 'an error'}`
  if (result.terminalReason?.startsWith('aborted')) {
    return interrupted('agent-crashed', `the agent was interrupted (${message})`, ending)
  }
  return failed(ending.words.classOf(result, ending.observed), message, ending)
}

function withoutResult(ending: Ending): Outcome {
  const { observed, exit } = ending
  const words = lastWords(exit)
  const unusable = unusableAs(ending)
  if (unusable !== null) return failed(unusable, words, ending)
  const how = exit.signal === null ? `exit code ${exit.code}` : exit.signal
  const message = `the agent ended without a result (${how})${words && `: ${words}`}`
  const class_ = exit.code === 0 ? 'no-result' : 'agent-crashed'
  // Once a session was announced, it may hold the prompt, and tools may have run.
  return observed.announcedSessionId === null
    ? failed(class_, message, ending)
    : interrupted(class_, message, ending)
}

function unusableAs({ exit, words }: Ending): FailureClass | null {
  return words.unusable.find(([said]) => said.test(exit.stderr))?.[1] ?? null
}

function killed(
  kind: 'cancelled' | 'failed' | 'interrupted',
  by: KillReason,
  ending: Ending,
): Outcome {
  const { class: class_, message } = KILLED[by]
  return { kind, failure: failureOf(class_, message, ending) }
}

function failed(class_: FailureClass, message: string, ending: Ending): Outcome {
  return { kind: 'failed', failure: failureOf(class_, message, ending) }
}

function interrupted(class_: FailureClass, message: string, ending: Ending): Outcome {
  return { kind: 'interrupted', failure: failureOf(class_, message, ending) }
}

function failureOf(class_: FailureClass, message: string, { observed, words }: Ending) {
  return {
    class: class_,
    message: message.slice(0, MAX_MESSAGE_CHARS),
    hint: words.hints[class_],
    toolsRan: observed.toolsRan,
    resetsAt: class_ === 'usage-limit' ? observed.limitResetsAt : null,
  }
}

function wordsOf(result: AgentResult): string {
  return (result.errors.join(' ') || (result.text ?? '')).trim()
}

function lastWords({ stderr }: Exit): string {
  return stderr.trim().split('\n').slice(-3).join(' ').trim()
}
