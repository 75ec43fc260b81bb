// The ways in which a turn can go on, each with its price: the one that was decided, and those that a user can ask for.
import type { Estimate } from '../money/estimate.ts'
import { isNative } from './continuation.ts'
import { afterRefusal, decide } from './decide.ts'
import type { Decision, Facts } from './decision.ts'
import { shortOf } from './explain.ts'
import type { EstimateDecision } from './prospect.ts'
import type { ResumeSettings } from './settings.ts'

export const WAYS = [
  'start',
  'resume',
  'fork',
  'replay-native',
  'replay-prompt',
  'trimmed',
  'note',
] as const

/** How the conversation reaches the agent. */
export type WayName = (typeof WAYS)[number]

/** One way in which a turn can go on. */
export type PricedWay = {
  readonly way: WayName
  /** The turn goes this way unless the user asks for another one. */
  readonly isChosen: boolean
  /** Why it is chosen, or what leads to it. */
  readonly words: string
  /** `null`: not known. */
  readonly estimate: Estimate | null
}

type Asked = {
  readonly facts: Facts
  readonly settings: ResumeSettings
  /** A replay can be a session that we write. */
  readonly canWrite: boolean
  /** What was decided before `carry` counted. */
  readonly decided?: Decision
  /** The turn itself asks for a `carry`, which a fresh session would get too. */
  readonly carriesNow?: boolean
  /** What else `carry` can lead to. */
  readonly carried?: readonly Possible[]
  /** The decision with what a session that we write leaves out; absent: nothing. */
  readonly withCuts?: (decision: Decision) => Decision
}
export type Possible = { readonly decision: Decision; readonly words: string }

/** The chosen way comes first. A way appears once. */
export function waysOf(
  decision: Decision,
  asked: Asked,
  estimate: EstimateDecision,
): readonly PricedWay[] {
  const chosen = wayName(decision)
  if (chosen === null) return []
  const because = decision.action === 'resume' ? 'the session can go on' : shortOf(decision)
  const others = possible(decision, asked).flatMap(other => {
    const way = wayName(other.decision)
    return way === null
      ? []
      : { way, isChosen: false, words: other.words, estimate: estimate(other.decision) }
  })
  const all: readonly PricedWay[] = [
    { way: chosen, isChosen: true, words: `chosen: ${because}`, estimate: estimate(decision) },
    ...others,
  ]
  return all.filter(({ way }, index) => all.findIndex(other => other.way === way) === index)
}

/** `null`: nothing starts. */
export function wayName(decision: Decision): WayName | null {
  switch (decision.action) {
    case 'wait':
      return null
    case 'replay':
      return isNative(decision) ? 'replay-native' : 'replay-prompt'
    case 'handover':
      return 'note'
    case 'fork':
      return decision.carry?.way === 'trimmed' ? 'trimmed' : 'fork'
    default:
      return decision.action
  }
}

function possible(chosen: Decision, asked: Asked): readonly Possible[] {
  const { facts, settings, decided: decision = chosen, carried = [] } = asked
  const { withCuts = replay => replay, carriesNow = false } = asked
  if (facts.viewLength === 0) return []
  // A tier gets a fresh session only with a note.
  if (facts.purpose) return carried
  const asksForAll = carriesNow && decision.action !== chosen.action
  const without = 'without a fresh session'
  const going = decide({ ...facts, freshSession: false }, settings)
  return [
    ...carried,
    ...(facts.freshSession ? [{ decision: going, words: without }] : []),
    ...(asksForAll
      ? replays(decision, asked, ' and carry: whole')
      : replays(decision, asked).map(replay => ({
          ...replay,
          decision: withCuts(replay.decision),
        }))),
  ]
}

function replays(
  decision: Decision,
  { facts, settings, canWrite }: Asked,
  andWhole = '',
): readonly Possible[] {
  const fresh = decide({ ...facts, freshSession: true }, settings)
  if (fresh.action !== 'replay') return []
  if (decision.action === 'fork') {
    const { sessionId } = decision.session
    const refused = { code: 'resume-refused', sessionId, detail: '' } as const
    const words = 'if the agent refuses the fork'
    return [
      { decision: afterRefusal(decision, refused, facts), words },
      ...formsOf(fresh, canWrite, andWhole),
    ]
  }
  const words = `with a fresh session${andWhole}`
  return [{ decision: fresh, words }, ...formsOf(fresh, canWrite, andWhole)]
}

/** Every replay can be a transcript in the prompt instead, and some can be a session that we write. */
function formsOf(
  { action, reason, checks }: Extract<Decision, { action: 'replay' }>,
  canWrite: boolean,
  andWhole: string,
): readonly Possible[] {
  const forms = canWrite ? (['prompt', 'native'] as const) : (['prompt'] as const)
  return forms.map(form => ({
    decision: { action, reason, checks, form },
    words: `with a fresh session and resume.replay: ${form}${andWhole}`,
  }))
}
