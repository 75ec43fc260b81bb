// What a run is asked to go on with in place of what was decided: a copy of the session, or a note. Files and prices come later.
import type { Carry } from '../chain/carry.ts'
import { isNative } from './continuation.ts'
import { decide } from './decide.ts'
import type { Decision, Facts } from './decision.ts'
import type { ResumeSettings } from './settings.ts'

type Fork = Extract<Decision, { action: 'fork' }>
type Handover = Extract<Decision, { action: 'handover' }>
type Replay = Extract<Decision, { action: 'replay' }>

export type CarryWish =
  /** A copy of the session could go on; how much of it depends on files and prices. */
  | {
      readonly kind: 'copy'
      readonly carry: Carry
      readonly decision: Fork
      /** The whole session is too full: only a copy that is short enough can go on. */
      readonly isTooFull: boolean
    }
  /** No session goes on, and a note takes the place of the transcript. */
  | { readonly kind: 'note'; readonly decision: Handover }
  /** We write a session, and can cut the long outputs in it. */
  | { readonly kind: 'replay'; readonly carry: Carry; readonly decision: Replay }

export type CarryAsked = {
  /** What was asked for; absent: nothing. */
  readonly carry: Carry | undefined
  readonly facts: Facts
  readonly settings: ResumeSettings
  /** The agent refused the session that we wrote for this turn. */
  readonly writtenWasRefused: boolean
}

/** `null`: what was decided stays. */
export function carryWish(decision: Decision, carried: CarryAsked): CarryWish | null {
  const { carry, facts, writtenWasRefused } = carried
  if (carry === undefined) return writtenWish(decision, 'auto')
  if (facts.purpose) return tierWish(decision, { ...carried, carry })
  if (carry === 'whole' || decision.action === 'start' || decision.action === 'wait') return null
  if (carry === 'note' && decision.action !== 'resume') {
    const { reason, checks } = decision
    const note = { way: 'note', because: 'set' } as const
    return { kind: 'note', decision: { action: 'handover', reason, checks, carry: note } }
  }
  if (writtenWasRefused) return null
  if (decision.action === 'resume') return copyOf(decision, carry, 'fits')
  const roomy = withMoreRoom(decision, carried)
  if (roomy?.action === 'resume') return copyOf(roomy, carry, 'too full')
  return writtenWish(decision, carry)
}

/** No cache holds a session that we write, so long outputs are cut in it unless somebody asks for all of it. */
function writtenWish(decision: Decision, carry: Carry): CarryWish | null {
  return isNative(decision) ? { kind: 'replay', carry, decision } : null
}

/** A tier that enters goes on in a copy anyway. */
function tierWish(decision: Decision, carried: CarryAsked & { readonly carry: Carry }) {
  const { carry } = carried
  if (isEntry(decision)) return { kind: 'copy', carry, decision, isTooFull: false } as const
  if (carry === 'whole' || carry === 'note') return null
  const roomy = withMoreRoom(decision, carried)
  if (roomy === null || !isEntry(roomy)) return null
  return { kind: 'copy', carry, decision: roomy, isTooFull: true } as const
}

function isEntry(decision: Decision): decision is Fork {
  return decision.action === 'fork' && decision.reason.code === 'tier-entered'
}

function copyOf(
  { session, catchUpFrom, checks }: Extract<Decision, { action: 'resume' }>,
  carry: Carry,
  room: 'fits' | 'too full',
): CarryWish {
  const way = carry === 'note' ? 'note' : 'trimmed'
  const reason = { code: 'carried-over', way } as const
  const decision = { action: 'fork', session, at: null, catchUpFrom, reason, checks } as const
  return { kind: 'copy', carry, decision, isTooFull: room === 'too full' }
}

/** What would be decided if the window of the model were larger; `null`: the window is not why, or the file must be restored first. */
function withMoreRoom(decision: Decision, { facts, settings }: CarryAsked): Decision | null {
  if (!('reason' in decision) || decision.reason.code !== 'context-full') return null
  const roomy = decide(facts, { ...settings, contextThreshold: Number.MAX_VALUE })
  const wanted = 'session' in roomy ? roomy.session.id : null
  const isThere = facts.sessions.some(({ id, file }) => id === wanted && file.state === 'present')
  return isThere ? { ...roomy, checks: decision.checks } : null
}

/** Whether a session fits when so many tokens are cut out of it. */
export function fitsWithout(
  cutTokens: number,
  { facts, settings, sessionId }: Pick<CarryAsked, 'facts' | 'settings'> & { sessionId: string },
): boolean {
  const held = facts.sessions.find(({ id }) => id === sessionId)?.contextTokens ?? null
  if (held === null || facts.contextWindow === null) return false
  return held - cutTokens <= facts.contextWindow * settings.contextThreshold
}
