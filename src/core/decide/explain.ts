// Decisions in words. CLI, API and dashboard all use these words.

import { carryWords } from '../chain/carry.ts'
import type { RetiredBecause } from '../conversation/session.ts'
import type { Estimate } from '../money/estimate.ts'
import { isNative } from './continuation.ts'
import type { Check, Decision, GuardName, PromptBecause, Reason } from './decision.ts'

/** What else could be decided, and when. */
export type Alternative = {
  readonly action: Decision['action']
  /** When it would happen, such as `with a fresh session`. */
  readonly words: string
  readonly estimate: Estimate | null
}

/** A decision in words, with every guard and what it saw. */
export type Explanation = {
  readonly decision: Decision
  /** One sentence. */
  readonly words: string
  /** The reason for a table: its code and the datum that proves it; empty for `resume`. */
  readonly short: string
  /** Every guard, in order, with the fact it saw; `cause` marks the one behind the decision. */
  readonly checks: readonly {
    readonly check: Check
    readonly words: string
    readonly cause: boolean
  }[]
  /** What would change the decision: one fact or setting each. Empty where the facts are not at hand. */
  readonly changes: readonly Alternative[]
}

/** `past`: of a run that was started; `future`: of a turn that could be sent. */
export type Tense = 'past' | 'future'

/** Explains a decision: in a sentence, and guard by guard. */
export function explain(
  decision: Decision,
  {
    tense = 'past',
    changes = [],
  }: { readonly tense?: Tense; readonly changes?: Explanation['changes'] } = {},
): Explanation {
  const reason = decision.action === 'resume' ? null : decision.reason
  const cause = reason && decision.checks.findIndex(check => isCause(check, reason))
  return {
    decision,
    words: wordsOf(decision, tense),
    short: shortOf(decision),
    checks: decision.checks.map((check, index) => ({
      check,
      words: checkWords(check),
      cause: index === cause,
    })),
    changes,
  }
}

/** The decision with words for it and for every check: what the CLI prints as JSON and the API answers. */
export type DecisionInWords = Decision & {
  readonly words: string
  readonly short: string
  readonly checks: readonly CheckInWords[]
  readonly changes: readonly Alternative[]
}

export type CheckInWords = Check & { readonly words: string; readonly cause: boolean }

export function inWords({ decision, words, short, checks, changes }: Explanation): DecisionInWords {
  return {
    ...decision,
    words,
    short,
    checks: checks.map(({ check, words, cause }) => ({ ...check, words, cause })),
    changes,
  }
}

export function explanationOf({
  words,
  short,
  checks,
  changes,
  ...decision
}: DecisionInWords): Explanation {
  const all: readonly CheckInWords[] = checks
  const explained = all.map(({ words, cause, ...check }) => ({ check, words, cause }))
  return {
    decision: { ...decision, checks: explained.map(({ check }) => check) },
    words,
    short,
    checks: explained,
    changes,
  }
}

/** Says a decision in one sentence. */
export function wordsOf(decision: Decision, tense: Tense = 'past'): string {
  const action = isNative(decision)
    ? NATIVE_WORDS[tense]
    : (tense === 'past' ? ACTION_WORDS : FUTURE_ACTION_WORDS)[decision.action]
  if (decision.action === 'resume') return `${action}.`
  const because = 'formBecause' in decision ? decision.formBecause : undefined
  // A setting needs no explanation.
  const form = because === undefined || because === 'set' ? '' : `, and ${PROMPT_BECAUSE[because]}`
  const carry = 'carry' in decision ? carryWords(decision.carry) : ''
  return `${action}: ${reasonWords(decision.reason)}${form}${carry}.`
}

/** Why a replay is a transcript in front of the prompt. */
export const PROMPT_BECAUSE: Record<PromptBecause, string> = {
  set: '`resume.replay` asks for it',
  agent: 'Reprise cannot write sessions for this agent',
  version: 'nobody has tried written sessions with this version of the agent',
  model: 'the agent would go on with the model of the last answer, and that one is not known',
  disk: 'the session could not be written to the disk',
  unsound: 'the session that was written did not pass its check',
  refused: 'the agent or its model API refused the session that was written for it',
  failed: 'a session that was written for this thread before brought no answers',
}

export function reasonWords(reason: Reason): string {
  return WORDS[reason.code](reason as never)
}

/** The reason of a decision for a table; empty for `resume`, which needs none. */
export function shortOf(decision: Decision): string {
  return decision.action === 'resume' ? '' : shortReason(decision.reason)
}

/** A reason for a table: its code and, where there is one, the datum that proves it. */
export function shortReason(reason: Reason): string {
  const datum = DATA[reason.code](reason as never)
  return datum === '' ? reason.code : `${reason.code}, ${datum}`
}

export const ACTION_WORDS: Record<Decision['action'], string> = {
  resume: "The agent's own session was resumed; it got only what it had not seen",
  fork: "A copy of the agent's session was continued, cut where it still agrees with the thread",
  replay: 'A new session was started with the transcript in front of the prompt',
  handover: 'A new session was started with a handover note in front of the prompt',
  start: 'A new session was started with nothing to carry over',
  wait: 'Nothing was started yet',
}

/** For a replay of `form: native`. */
export const NATIVE_WORDS: Record<Tense, string> = {
  past: 'A new session was written with the conversation so far and continued; the prompt was the new message alone',
  future:
    'A new session is written with the conversation so far and goes on; the prompt is the new message alone',
}

const FUTURE_ACTION_WORDS: typeof ACTION_WORDS = {
  resume: "The agent's own session is resumed; it gets only what it has not seen",
  fork: "A copy of the agent's session goes on, cut where it still agrees with the thread",
  replay: 'A new session starts with the transcript in front of the prompt',
  handover: 'A new session starts with a handover note in front of the prompt',
  start: 'A new session starts with nothing to carry over',
  wait: 'Nothing starts yet',
}

/** What each guard asks, and what happens when the answer is no. */
export const GUARD_WORDS: Record<GuardName, { readonly question: string; readonly ifNot: string }> =
  {
    'agent-can-resume': { question: 'Can this agent resume a session?', ifNot: 'replay' },
    'resume-enabled': { question: 'Is resuming switched on?', ifNot: 'replay' },
    'fresh-not-asked': { question: 'Did nobody ask for a fresh session?', ifNot: 'replay' },
    'prior-turn': { question: 'Is there anything to continue?', ifNot: 'start' },
    'session-confirmed': {
      question: 'Is there a session of this thread and agent that the agent has saved?',
      ifNot: 'replay',
    },
    'session-not-retired': { question: 'Is the session still trusted?', ifNot: 'replay' },
    'history-shared': {
      question: "Is the session's history a prefix of the thread's?",
      ifNot: 'fork at the last shared answer where the agent can, else replay',
    },
    'same-work-dir': { question: 'Is it the same work dir?', ifNot: 'replay' },
    'same-runtime': {
      question: 'Is it the same program, version and abilities?',
      ifNot: 'replay',
    },
    'session-age': { question: 'Is the session young enough?', ifNot: 'replay' },
    'fruitless-resumes': {
      question: 'Have resumes of this session brought answers lately?',
      ifNot: 'replay',
    },
    'context-fill': { question: "Is there room left in the model's window?", ifNot: 'replay' },
    'session-file': { question: "Is the agent's session file here and sound?", ifNot: 'replay' },
    'session-free': { question: 'Is the session free?', ifNot: 'wait' },
  }

/** A reason without words does not compile. */
const WORDS: {
  readonly [Code in Reason['code']]: (reason: Extract<Reason, { code: Code }>) => string
} = {
  'agent-cannot-resume': ({ agent }) => `${agent} cannot resume sessions`,
  'resume-off': () => 'resuming is switched off (resume.mode: never)',
  'fresh-asked': () => 'a fresh session was asked for',
  'first-turn': () => 'this is the first turn',
  'no-session': ({ agent }) => `${agent} has no session in this thread yet`,
  'tier-agent-changed': ({ tier, was, now }) =>
    `tier ${tier} has another agent: ${now}, after ${was}`,
  'session-unconfirmed': ({ sessionId }) =>
    `session ${sessionId} was announced, but the agent never saved a turn under it`,
  'session-retired': ({ sessionId, because }) =>
    `session ${sessionId} was retired because ${retiredWords(because)}`,
  'history-changed': ({ shared, seen }) =>
    shared === 0
      ? `the thread no longer begins with any of the ${seen} messages that the session has seen`
      : `of the ${seen} messages that the session has seen, only the first ${shared} are still in the thread`,
  'foreign-turns': ({ messages, shared }) =>
    `the session holds ${messages === 1 ? 'a message' : `${messages} messages`} that this thread does not know (somebody else continued it, or these records are older than it); ${shared === 0 ? 'the thread shares none that it could continue from' : `the first ${shared} messages are shared`}`,
  'directory-changed': ({ was, now }) => `the session belongs to ${was}, this turn runs in ${now}`,
  'runtime-changed': ({ was, now }) => `the session was written by ${was}, now there is ${now}`,
  'session-too-old': ({ ageMs, maxAgeMs }) =>
    `the session was last used ${duration(ageMs)} ago, the limit is ${duration(maxAgeMs)}`,
  'resumes-fruitless': ({ count, max }) =>
    `${count} resumes in a row brought no answer (limit ${max})`,
  'context-full': ({ tokens, window, threshold }) =>
    `the session holds ${tokens} tokens, over ${Math.round(threshold * 1000) / 10} % of the model's ${window}`,
  'file-missing': ({ path }) => `the agent's session file is gone (${path})`,
  'file-damaged': ({ path, detail }) => `the agent's session file is damaged: ${detail} (${path})`,
  'tier-entered': ({ tier }) => `tier ${tier} gets a session of its own`,
  'caller-asked': () => 'the program that called the agent wanted a fork',
  'carried-over': ({ way }) =>
    way === 'trimmed'
      ? 'the session goes on in a copy with its long outputs cut'
      : 'the session itself could go on',
  'session-busy': ({ holder }) => `${holder} uses the session right now`,
  'fact-unknown': ({ question }) => `it is not known: ${question}`,
  'resume-refused': ({ sessionId, detail }) =>
    `the agent refused to continue session ${sessionId} (${detail})`,
}

/** What a table shows of a reason beside its code. A reason without it does not compile. */
const DATA: typeof WORDS = {
  'agent-cannot-resume': ({ agent }) => agent,
  'resume-off': () => '',
  'fresh-asked': () => '',
  'first-turn': () => '',
  'no-session': ({ agent }) => agent,
  'tier-agent-changed': ({ now }) => now,
  'session-unconfirmed': ({ sessionId }) => shortId(sessionId),
  'session-retired': ({ because }) => because.code,
  'history-changed': ({ shared, seen }) => `${shared} of ${seen} still true`,
  'foreign-turns': ({ messages }) => `${messages} not known`,
  'directory-changed': ({ was }) => `was ${was}`,
  'runtime-changed': ({ was, now }) => runtimeChange(was, now),
  'session-too-old': ({ ageMs, maxAgeMs }) => `${duration(ageMs)}, limit ${duration(maxAgeMs)}`,
  'resumes-fruitless': ({ count, max }) => `${count} of ${max}`,
  'context-full': ({ tokens, window }) => `${shortCount(tokens)} of ${shortCount(window)}`,
  'file-missing': () => '',
  'file-damaged': ({ detail }) => shortText(detail),
  'tier-entered': ({ tier }) => `tier ${tier}`,
  'caller-asked': () => '',
  'carried-over': ({ way }) => way,
  'session-busy': ({ holder }) => shortId(holder),
  'fact-unknown': ({ guard }) => guard,
  'resume-refused': ({ detail }) => shortText(detail),
}

const MAX_SHORT_CHARS = 40

function shortText(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MAX_SHORT_CHARS
    ? line
    : `${line.slice(0, MAX_SHORT_CHARS - 1)}…`.toWellFormed()
}

function shortId(id: string): string {
  return id.length <= 12 ? id : `${id.slice(0, 8)}…`
}

function shortCount(count: number): string {
  if (count < 1_000) return String(count)
  if (count < 999_500) return `${Math.round(count / 1_000)} k`
  return `${Math.round(count / 100_000) / 10} M`
}

/** A fingerprint is the program, its version, and in brackets what it can do. */
const FINGERPRINT = /^(?<program>.*) (?<version>[^ ()]+)(?: \(.*\))?$/

/** Names what differs first: the version, else the program, else what it can do. */
function runtimeChange(was: string, now: string): string {
  const before = FINGERPRINT.exec(was)?.groups
  const after = FINGERPRINT.exec(now)?.groups
  if (!before || !after) return `was ${shortText(was)}`
  if (before.version !== after.version) return `${before.version} to ${after.version}`
  if (before.program !== after.program) return `was ${before.program}`
  return 'other abilities'
}

export function retiredWords(because: RetiredBecause): string {
  if (because.code === 'refused') return `the agent refused it (${because.detail})`
  if (because.code === 'failed-twice') return `two resumes in a row failed (${because.detail})`
  if (because.code === 'left-asking') return 'it waits at a question that nobody will answer'
  return 'the agent never saved anything under it'
}

function checkWords(check: Check): string {
  if (check.result === 'pass') return check.saw
  if (check.result === 'unknown') return check.question
  return reasonWords(check.reason)
}

function isCause(check: Check, reason: Reason): boolean {
  if (check.result === 'block') return check.reason.code === reason.code
  return (
    check.result === 'unknown' && reason.code === 'fact-unknown' && check.guard === reason.guard
  )
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return `${Math.round(ms / 1000)} s`
  if (minutes < 120) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 72 ? `${hours} h` : `${Math.round(hours / 24)} days`
}
