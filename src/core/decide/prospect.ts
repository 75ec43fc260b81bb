// What a decision would make the agent read, and what the turn would use, if it were sent with this prompt.
import { charsIn, type Message } from '../conversation/messages.ts'
import { composePrompt } from '../conversation/prompt.ts'
import { transcriptOf } from '../conversation/transcript.ts'
import { type CacheFacts, type CacheState, cacheStateOf } from '../money/cache-state.ts'
import { type Estimate, estimateTurn, overheadTokens, tokensOfChars } from '../money/estimate.ts'
import type { TurnHabits } from '../money/habits.ts'
import type { Price } from '../money/ledger.ts'
import { isNative } from './continuation.ts'
import type { Decision, Facts, SessionFacts } from './decision.ts'

export type Prospect = {
  readonly facts: Facts
  /** The messages before the prompt. */
  readonly view: readonly Message[]
  readonly prompt: string
  /** The length of the composed prompt, where it is composed already. */
  readonly promptChars?: number
  /** Most characters that a composed prompt may have. */
  readonly maxChars: number
  /** Tokens in the context after an answer of the view, by the index of the answer, where they were measured. */
  readonly measured: ReadonlyMap<number, number>
  /** What the first requests of new sessions held besides the prompt, where runs tell it. */
  readonly overheads: readonly number[]
  /** Sessions (our ids) that the model of the turn has worked in. */
  readonly sameModel: ReadonlySet<string>
  /** Sessions (our ids) whose last run had the same program and the same tools. */
  readonly sameTools: ReadonlySet<string>
  /** The newest run of the agent in this directory, where the thread has none. */
  readonly elsewhere: Omit<CacheFacts, 'life'> | null
  /** The handover note that the run would get; `null`: it would get none. */
  readonly note: string | null
  /** What is usual for a turn; `null`: nothing was reported. */
  readonly habits: TurnHabits | null
  readonly price: Price | null
}

export type EstimateDecision = (decision: Decision) => Estimate | null

/** Only lengths count here, so any text can stand for the random mark of a prompt. */
const MARK = 'm'.repeat(20)

/** `null`: nothing starts, or too little is known. */
export function estimateDecision(decision: Decision, prospect: Prospect): Estimate | null {
  if (decision.action === 'wait') return null
  const { view, facts, habits, price } = prospect
  const sentChars = charsSent(decision, prospect)
  if (decision.action !== 'resume' && decision.action !== 'fork') {
    const overhead = overheadOf(prospect)
    const cache = cacheFor(prospect, facts.sessions, prospect.elsewhere)
    const held = { heldTokens: overhead, keptTokens: overhead ?? 0 }
    return estimateTurn({ ...held, sentChars, cache, habits, price })
  }
  const sessions = facts.sessions.filter(({ id }) => id === decision.session.id)
  const cache = cacheFor(prospect, sessions)
  const heldTokens = heldBy(decision, prospect, sessions[0])
  const cut = tokensOfChars(cutChars(decision))
  if (cut > 0) {
    // The cache holds nothing behind the first output that was cut.
    const least = overheadOf(prospect) ?? 0
    const shorter = heldTokens === null ? null : Math.max(least, heldTokens - cut)
    const trimmed = { heldTokens: shorter, keptTokens: least }
    return estimateTurn({ ...trimmed, sentChars, cache, habits, price })
  }
  const lastAnswer = tokensOfChars(view[decision.catchUpFrom - 1]?.text.length ?? 0)
  const keptTokens = (heldTokens ?? 0) - lastAnswer
  return estimateTurn({ heldTokens, keptTokens, sentChars, cache, habits, price })
}

function charsSent(decision: Decision, prospect: Prospect): number {
  const { view, prompt: message, promptChars, maxChars, note } = prospect
  const parts = { view, message, instructions: null, mark: MARK, maxChars }
  const written = isNative(decision) ? Math.min(charsIn(view) - cutChars(decision), maxChars) : 0
  const composed = () => composePrompt(decision, { ...parts, ...(note && { note }) }).text.length
  return (promptChars ?? composed()) + written
}

function cutChars(decision: Decision): number {
  return 'carry' in decision ? (decision.carry?.cut?.chars ?? 0) : 0
}

/** A fork that cuts the history holds what the context was after the last answer that it keeps. */
function heldBy(
  decision: Extract<Decision, { action: 'resume' | 'fork' }>,
  { measured }: Prospect,
  session: SessionFacts | undefined,
): number | null {
  const whole = session?.contextTokens ?? null
  if (decision.action === 'resume' || decision.at === null) return whole
  const kept = measured.get(decision.catchUpFrom - 1) ?? null
  return kept !== null && whole !== null ? Math.min(kept, whole) : kept
}

/** What runs have begun with tells most; else what measured contexts held besides their messages. */
function overheadOf(prospect: Prospect): number | null {
  if (prospect.overheads.length > 0) return Math.min(...prospect.overheads)
  return overheadTokens(contextsOf(prospect))
}

function contextsOf({ view, measured }: Prospect) {
  return [...measured].map(([index, contextTokens]) => {
    const known = view.slice(0, index + 1)
    const { text } = transcriptOf(known, { mark: MARK, maxChars: Number.MAX_SAFE_INTEGER })
    return { contextTokens, messageChars: text.length }
  })
}

/** The latest of the sessions that fit best: one of the same model and tools, else one of the same model. */
function cacheFor(
  prospect: Prospect,
  sessions: readonly SessionFacts[],
  elsewhere: Prospect['elsewhere'] = null,
): CacheState {
  const { facts, sameModel, sameTools, habits } = prospect
  const life = habits?.life ?? '5m'
  const known = sessions.map(({ id, lastMessageAt }) => ({
    ageMs: facts.gatheredAt - lastMessageAt,
    sameModel: sameModel.has(id),
    sameTools: sameTools.has(id),
  }))
  const states = [...known, ...(elsewhere ? [elsewhere] : [])].map(found =>
    cacheStateOf({ ...found, life }),
  )
  const never = { ageMs: null, life, sameModel: false, sameTools: false }
  const rank = ({ because, ageMs }: CacheState) => [ORDER.indexOf(because), ageMs ?? 0] as const
  const [best] = states.toSorted((a, b) => {
    const [x, y] = [rank(a), rank(b)]
    return x[0] - y[0] || x[1] - y[1]
  })
  return best ?? cacheStateOf(never)
}

const ORDER: readonly CacheState['because'][] = [
  'in-time',
  'too-old',
  'tools-changed',
  'other-model',
  'never-used',
]
