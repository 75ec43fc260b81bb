// What a decision would make the agent read, if a turn with this prompt were sent.
import { charsIn, type Message } from '../conversation/messages.ts'
import { composePrompt } from '../conversation/prompt.ts'
import { transcriptOf } from '../conversation/transcript.ts'
import { type Estimate, estimateReading, overheadTokens } from '../money/estimate.ts'
import type { Price } from '../money/ledger.ts'
import { isNative } from './continuation.ts'
import type { Decision, Facts, SessionFacts } from './decision.ts'

export type Prospect = {
  readonly facts: Facts
  /** The messages before the prompt. */
  readonly view: readonly Message[]
  readonly prompt: string
  /** Most characters that a composed prompt may have. */
  readonly maxChars: number
  /** Tokens in the context after an answer of the view, by the index of the answer, where they were measured. */
  readonly measured: ReadonlyMap<number, number>
  /** Sessions (our ids) that the model of the turn has worked in. */
  readonly sameModel: ReadonlySet<string>
  readonly price: Price | null
}

export type EstimateDecision = (decision: Decision) => Estimate | null

/** Only lengths count here, so any text can stand for the random mark of a prompt. */
const MARK = 'm'.repeat(20)

/** `null`: nothing starts, or too little is known. */
export function estimateDecision(decision: Decision, prospect: Prospect): Estimate | null {
  if (decision.action === 'wait') return null
  const { view, prompt: message, maxChars, price } = prospect
  const parts = { view, message, instructions: null, mark: MARK, maxChars }
  const carriedChars = isNative(decision) ? Math.min(charsIn(view), maxChars) : 0
  const sentChars = composePrompt(decision, parts).text.length + carriedChars
  if (decision.action !== 'resume' && decision.action !== 'fork') {
    const heldTokens = overheadTokens(contextsOf(prospect))
    const usedMsAgo = latestUse(prospect, prospect.facts.sessions)
    return estimateReading({ heldTokens, lastAnswerChars: 0, sentChars, usedMsAgo, price })
  }
  const sessions = prospect.facts.sessions.filter(({ id }) => id === decision.session.id)
  return estimateReading({
    heldTokens: heldBy(decision, prospect, sessions[0]),
    lastAnswerChars: view[decision.catchUpFrom - 1]?.text.length ?? 0,
    sentChars,
    usedMsAgo: latestUse(prospect, sessions),
    price,
  })
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

function contextsOf({ view, measured }: Prospect) {
  return [...measured].map(([index, contextTokens]) => {
    const known = view.slice(0, index + 1)
    const { text } = transcriptOf(known, { mark: MARK, maxChars: Number.MAX_SAFE_INTEGER })
    return { contextTokens, messageChars: text.length }
  })
}

function latestUse(
  { facts, sameModel }: Prospect,
  sessions: readonly SessionFacts[],
): number | null {
  const used = sessions.filter(({ id }) => sameModel.has(id))
  if (used.length === 0) return null
  return facts.gatheredAt - Math.max(...used.map(({ lastMessageAt }) => lastMessageAt))
}
