// What would change a decision: `decide` is asked again with one fact or one setting changed.
import { decide } from './decide.ts'
import type { Check, Decision, Facts, GuardName, SessionFacts } from './decision.ts'
import type { Alternative } from './explain.ts'
import type { EstimateDecision } from './prospect.ts'
import type { ResumeSettings } from './settings.ts'

type Asked = { readonly facts: Facts; readonly settings: ResumeSettings }
type Change = Partial<Asked> & { readonly words: string }

const MOST_CHANGES = 4

/** Gives only changes that lead to another action, those of the guards that said no first. */
export function changesOf(
  decision: Decision,
  asked: Asked,
  estimate: EstimateDecision,
): readonly Alternative[] {
  // Every guard had passed, so that no fact or setting is the cause.
  if ('reason' in decision && decision.reason.code === 'resume-refused') return []
  const found = new Map<string, Alternative>()
  for (const { words, ...change } of [...removeCauses(decision, asked), ...askFresh(asked)]) {
    const { facts, settings } = { ...asked, ...change }
    const other = decide(facts, settings)
    if (other.action === decision.action || found.has(words)) continue
    found.set(words, { action: other.action, words, estimate: estimate(other) })
  }
  return [...found.values()].slice(0, MOST_CHANGES)
}

function removeCauses({ checks }: Decision, asked: Asked): readonly Change[] {
  return checks.flatMap(check => {
    if (check.result === 'pass') return []
    if (check.result === 'block') return REMOVE[check.guard](asked, check)
    const settings: ResumeSettings = { ...asked.settings, whenUnknown: 'resume' }
    return [{ words: 'with resume.whenUnknown: resume', settings }]
  })
}

/** Nobody can ask for a fresh session of a tier, and a first turn always has one. */
function askFresh({ facts }: Asked): readonly Change[] {
  if (facts.freshSession || facts.purpose || facts.viewLength === 0) return []
  return [{ words: 'with a fresh session', facts: { ...facts, freshSession: true } }]
}

type Remove = (asked: Asked, check: Extract<Check, { result: 'block' }>) => readonly Change[]

/** Nothing that a user could change about it. */
const nothing: Remove = () => []

/** What takes away the no of a guard. A guard without it does not compile. */
const REMOVE: Record<GuardName, Remove> = {
  'agent-can-resume': nothing,
  'resume-enabled': ({ settings }) => [
    { words: 'with resume.mode: auto', settings: { ...settings, mode: 'auto' } },
  ],
  'fresh-not-asked': ({ facts }) => [
    { words: 'without a fresh session', facts: { ...facts, freshSession: false } },
  ],
  'prior-turn': nothing,
  'session-confirmed': nothing,
  'session-not-retired': nothing,
  'history-shared': ({ facts }, { reason }) => {
    if (reason.code !== 'history-changed') return []
    const words =
      reason.shared === facts.viewLength
        ? 'with the messages that were dropped'
        : `with message ${reason.shared + 1} as it was`
    return [{ words, facts: withSessions(facts, undone) }]
  },
  'same-work-dir': ({ facts, settings }, { reason }) => [
    ...(reason.code === 'directory-changed'
      ? [{ words: `in ${reason.was}`, facts: { ...facts, workDir: reason.was } }]
      : []),
    {
      words: 'with resume.onWorkDirChange: relocate',
      settings: { ...settings, onWorkDirChange: 'relocate' },
    },
  ],
  'same-runtime': ({ facts }, { reason }) =>
    reason.code === 'runtime-changed'
      ? [
          {
            words: 'with the program that wrote the session',
            facts: { ...facts, runtime: reason.was },
          },
        ]
      : [],
  'session-age': ({ settings }) => [
    {
      words: 'without a limit on the age of a session',
      settings: { ...settings, maxSessionAgeMs: null },
    },
  ],
  'fruitless-resumes': ({ settings }, { reason }) => {
    if (reason.code !== 'resumes-fruitless') return []
    const maxFruitlessResumes = reason.count + 1
    const words = `with resume.maxFruitlessResumes: ${maxFruitlessResumes}`
    return [{ words, settings: { ...settings, maxFruitlessResumes } }]
  },
  'context-fill': ({ settings }, { reason }) => {
    if (reason.code !== 'context-full') return []
    // The next step of five per cent that the session fits into.
    const percent = Math.ceil((reason.tokens / reason.window) * 20) * 5
    if (percent > 100) return []
    const words = `with a context threshold of ${percent} %`
    return [{ words, settings: { ...settings, contextThreshold: percent / 100 } }]
  },
  'session-file': nothing,
  'session-free': ({ facts }) => [
    {
      words: 'once the session is free',
      facts: withSessions(facts, session => ({ ...session, heldBy: null })),
    },
  ],
}

function withSessions(facts: Facts, change: (session: SessionFacts, facts: Facts) => SessionFacts) {
  return { ...facts, sessions: facts.sessions.map(session => change(session, facts)) }
}

/** The session as if its thread still had all that it has seen. */
function undone(session: SessionFacts, { viewLength }: Facts): SessionFacts {
  const { relation } = session
  if (relation.kind !== 'diverged' || relation.foreign !== undefined) return session
  const shared = Math.min(relation.seen, viewLength)
  return { ...session, relation: { kind: shared === viewLength ? 'same' : 'behind', shared } }
}
