// Facts in, decision out. No other place decides how a run continues.
import type { Check, Decision, Facts, Purpose, Reason, SessionFacts } from './decision.ts'
import { checkAll } from './guards.ts'
import { usableShare } from './history.ts'
import type { ResumeSettings } from './settings.ts'

/**
 * Decides how a run continues. Pure: the same facts and settings always give the same decision.
 *
 * @example
 * ```ts
 * const decision = decide(facts, settings)
 * if (decision.action !== 'resume') console.log(explain(decision).words)
 * ```
 */
export function decide(facts: Facts, settings: ResumeSettings): Decision {
  const tried = candidates(facts).map(session => ({
    session,
    checks: checkAll({ facts, settings, session }),
  }))
  for (const { session, checks } of tried) {
    const decision = continueWith({ facts, settings, session, checks })
    if (decision) return decision
  }
  // The record shows the checks of the session that shares most, or those of no session.
  const checks = tried[0]?.checks ?? checkAll({ facts, settings, session: null })
  return withoutSession(facts, checks)
}

/** How the same turn continues after the agent refused the session: without that session. */
export function afterRefusal(
  decision: Decision,
  reason: Reason,
  facts: Pick<Facts, 'purpose' | 'replayForm'> = {},
): Decision {
  return anew(facts, { reason, checks: decision.checks })
}

/** A tier gets a handover note; a turn of a thread gets the conversation. */
function anew(
  { purpose, replayForm }: Pick<Facts, 'purpose' | 'replayForm'>,
  because: { readonly reason: Reason; readonly checks: readonly Check[] },
): Decision {
  return purpose
    ? { action: 'handover', ...because }
    : { action: 'replay', ...because, ...replayForm }
}

/** Confirmed sessions come first, then the one that shares most, then the latest. */
function candidates(facts: Facts): readonly SessionFacts[] {
  const canFork = facts.abilities.fork && facts.abilities.forkAtMessage ? 'can-fork' : 'cannot-fork'
  const rank = { confirmed: 0, announced: 1, retired: 2 }
  return facts.sessions.toSorted(
    (a, b) =>
      rank[a.pointer] - rank[b.pointer] ||
      usableShare(b.relation, canFork) - usableShare(a.relation, canFork) ||
      b.lastMessageAt - a.lastMessageAt,
  )
}

type Candidate = {
  readonly facts: Facts
  readonly settings: ResumeSettings
  readonly session: SessionFacts
  readonly checks: readonly Check[]
}

function continueWith({ facts, settings, session, checks }: Candidate): Decision | null {
  if (settings.whenUnknown === 'replay' && checks.some(check => check.result === 'unknown')) {
    return null
  }
  const blocks = checks.filter(check => check.result === 'block')
  const [only] = blocks
  const ref = { id: session.id, sessionId: session.sessionId }
  const { purpose } = facts
  if (!only && purpose && mustStay(purpose, session) && facts.abilities.fork) {
    const reason = { code: 'tier-entered', tier: purpose.tier } as const
    const catchUpFrom = session.relation.shared
    return { action: 'fork', session: ref, at: null, catchUpFrom, reason, checks }
  }
  if (!only) {
    return { action: 'resume', session: ref, catchUpFrom: session.relation.shared, checks }
  }
  if (blocks.length > 1) return null
  if (only.guard === 'session-free') return { action: 'wait', reason: only.reason, checks }
  const fork = session.relation.kind === 'diverged' ? session.relation.fork : null
  const canFork = facts.abilities.fork && facts.abilities.forkAtMessage
  if (only.guard !== 'history-shared' || !fork || !canFork) return null
  const { reason } = only
  return { action: 'fork', session: ref, at: fork.anchor, catchUpFrom: fork.shared, reason, checks }
}

/** The session of a lower tier stays as it is: the next tier continues in a fork. */
function mustStay({ enters, ownSessions }: Purpose, { sessionId }: SessionFacts): boolean {
  return enters || (ownSessions !== undefined && !ownSessions.includes(sessionId))
}

function withoutSession(facts: Facts, checks: readonly Check[]): Decision {
  if (facts.viewLength === 0) return { action: 'start', reason: { code: 'first-turn' }, checks }
  return anew(facts, { reason: causeOf(checks), checks })
}

/** The first guard that blocked; failing that, the first that did not know. */
function causeOf(checks: readonly Check[]): Reason {
  const blocked = checks.find(check => check.result === 'block')
  if (blocked) return blocked.reason
  const unsure = checks.find(check => check.result === 'unknown')
  if (unsure) return { code: 'fact-unknown', guard: unsure.guard, question: unsure.question }
  throw new TypeError('a session that every guard lets pass is continued')
}
