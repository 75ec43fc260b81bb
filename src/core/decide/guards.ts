// The guards: one pure question each. Every decision asks all of them, so that the record shows what each one saw.
import { EVIDENCE_WORDS } from '../conversation/session.ts'
import { digits } from '../digits.ts'
import { durationWords } from '../duration-words.ts'
import type { Check, Facts, GuardName, Reason, SessionFacts, SessionFileState } from './decision.ts'
import { GUARDS } from './decision.ts'
import type { ResumeSettings } from './settings.ts'

export type GuardInput = {
  readonly facts: Facts
  readonly settings: ResumeSettings
  /** The session that would be continued; `null` when there is none at all. */
  readonly session: SessionFacts | null
}

type Result =
  | { readonly result: 'pass'; readonly saw: string }
  | { readonly result: 'block'; readonly reason: Reason }
  | { readonly result: 'unknown'; readonly question: string }

export function checkAll(input: GuardInput): readonly Check[] {
  return GUARDS.map(guard => ({ guard, ...ASK[guard](input) }))
}

const pass = (saw: string): Result => ({ result: 'pass', saw })
const block = (reason: Reason): Result => ({ result: 'block', reason })
const unknown = (question: string): Result => ({ result: 'unknown', question })

/** For guards about the session: without a session the answer is unknown. */
const ofSession =
  (ask: (session: SessionFacts, input: GuardInput) => Result) =>
  (input: GuardInput): Result =>
    input.session ? ask(input.session, input) : unknown('there is no session to ask about')

const ASK: Record<GuardName, (input: GuardInput) => Result> = {
  'agent-can-resume': ({ facts }) =>
    facts.abilities.resume
      ? pass('the agent can resume')
      : block({ code: 'agent-cannot-resume', agent: facts.agent }),

  'resume-enabled': ({ settings }) =>
    settings.mode === 'auto' ? pass('resume mode is auto') : block({ code: 'resume-off' }),

  'fresh-not-asked': ({ facts }) =>
    facts.freshSession ? block({ code: 'fresh-asked' }) : pass('no fresh session was asked for'),

  'prior-turn': ({ facts }) =>
    facts.viewLength > 0
      ? pass(`${facts.viewLength} earlier messages`)
      : block({ code: 'first-turn' }),

  'session-confirmed': ({ facts, session }) => {
    if (!session) return block(withoutSession(facts))
    if (session.pointer === 'announced') {
      return block({ code: 'session-unconfirmed', sessionId: session.sessionId })
    }
    return pass(`session ${session.sessionId} was persisted by the agent${provenBy(session)}`)
  },

  'session-not-retired': ofSession(session =>
    session.retiredBecause
      ? block({
          code: 'session-retired',
          sessionId: session.sessionId,
          because: session.retiredBecause,
        })
      : pass('the session is in use'),
  ),

  'history-shared': ofSession(({ relation }) => {
    if (relation.kind === 'same') return pass('the session saw exactly this history')
    if (relation.kind === 'behind') {
      return pass(`the session saw the first ${relation.shared} messages, all still in the thread`)
    }
    const { foreign: messages } = relation
    if (messages) return block({ code: 'foreign-turns', messages, shared: relation.shared })
    return block({ code: 'history-changed', shared: relation.shared, seen: relation.seen })
  }),

  'same-work-dir': ofSession((session, { facts, settings }) => {
    if (session.workDir === facts.workDir) return pass(facts.workDir)
    const relocates = settings.onWorkDirChange === 'relocate'
    if (relocates && facts.abilities.resumeAcrossWorkDirs) {
      return pass(`${facts.workDir}; the agent finds the session from there`)
    }
    if (relocates && session.file.state === 'restorable') {
      return pass(`${facts.workDir}; the session file is copied there`)
    }
    return block({ code: 'directory-changed', was: session.workDir, now: facts.workDir })
  }),

  'same-runtime': ofSession((session, { facts }) =>
    session.runtime === facts.runtime
      ? pass(facts.runtime)
      : block({ code: 'runtime-changed', was: session.runtime, now: facts.runtime }),
  ),

  'session-age': ofSession((session, { facts, settings }) => {
    const ageMs = facts.gatheredAt - session.lastMessageAt
    const maxAgeMs = settings.maxSessionAgeMs
    if (maxAgeMs === null || ageMs <= maxAgeMs) return pass(`last used ${durationWords(ageMs)} ago`)
    return block({ code: 'session-too-old', ageMs, maxAgeMs })
  }),

  'fruitless-resumes': ofSession((session, { settings }) => {
    const count = session.fruitlessResumes
    const max = settings.maxFruitlessResumes
    return count < max
      ? pass(`${count} of at most ${max} resumes without an answer`)
      : block({ code: 'resumes-fruitless', count, max })
  }),

  'context-fill': ofSession((session, { facts, settings }) => {
    const { contextTokens: tokens } = session
    const { contextWindow: window } = facts
    const { contextThreshold: threshold } = settings
    if (tokens === null) return unknown('how full is the session?')
    if (window === null) return unknown("how large is the model's window?")
    return tokens <= window * threshold
      ? pass(
          `${digits(tokens)} of ${digits(window)} tokens, under ${Math.round(threshold * 1000) / 10} %`,
        )
      : block({ code: 'context-full', tokens, window, threshold })
  }),

  'session-file': ofSession(({ file }) => {
    if (file.state === 'present') return pass(presentWords(file))
    if (file.state === 'restorable') {
      return pass(`${file.detail}; our copy${ofTime(file.keptAt)} takes its place`)
    }
    if (file.state === 'unread')
      return pass('only the agent can read it: the load shows what it holds')
    if (file.state === 'unknown') return unknown("is the agent's session file here?")
    if (file.state === 'missing') return block({ code: 'file-missing', path: file.path })
    return block({ code: 'file-damaged', path: file.path, detail: file.detail })
  }),

  'session-free': ofSession(({ heldBy }) =>
    heldBy === null ? pass('nobody else uses it') : block({ code: 'session-busy', holder: heldBy }),
  ),
}

function withoutSession({ agent, purpose }: Facts): Reason {
  if (purpose?.agentBelow === undefined) return { code: 'no-session', agent }
  const { tier, agentBelow: was } = purpose
  return { code: 'tier-agent-changed', tier, was, now: agent }
}

function presentWords({ restored }: Extract<SessionFileState, { state: 'present' }>): string {
  if (!restored) return "the agent's session file is here"
  const copy = `our copy${ofTime(restored.keptAt)}`
  return `${copy} replaced the agent's session file (what was wrong with it: ${restored.because})`
}

function ofTime(keptAt: number | undefined): string {
  return keptAt === undefined ? '' : ` of ${new Date(keptAt).toISOString()}`
}

function provenBy({ evidence }: SessionFacts): string {
  return evidence === undefined ? '' : `: ${EVIDENCE_WORDS[evidence]}`
}
