// What the tiers of a chain are expected to cost before it is started, and how the conversation would reach each of them.
import type { PricedWay, WayName } from '../decide/ways.ts'
import { cacheStateOf } from '../money/cache-state.ts'
import { type Estimate, estimateTurn, tokensOfChars } from '../money/estimate.ts'
import type { TurnHabits } from '../money/habits.ts'
import type { Price } from '../money/ledger.ts'
import { type Carry, type CarryOver, carryBecause, chooseCarry } from './carry.ts'

/** What one tier of a chain would cost if the chain reached it. */
export type TierPreview = {
  /** Counts from 1. */
  readonly tier: number
  readonly name: string
  readonly agent: string
  /** `null`: the agent chooses. */
  readonly model: string | null
  /** What the policy says; `null`: nothing, so the tier gets the whole conversation. */
  readonly carry: Carry | null
  /** How the conversation can reach the tier, each way with its price; the chosen one first. */
  readonly ways: readonly PricedWay[]
  /** Of the chosen way; `null`: not known. */
  readonly estimate: Estimate | null
  /** Of this tier and all below; `null`: not known. */
  readonly upToHereUsd: number | null
}

/** What a chain would cost, tier by tier. Every figure is an estimate. */
export type ChainPreview = {
  /** The name of the policy. */
  readonly policy: string
  /** That of the first tier. */
  readonly agent: string
  /** Up to the highest tier that the chain may reach. */
  readonly tiers: readonly TierPreview[]
  /** How many earlier chains of the policy tell how much is cut and how long notes are. */
  readonly earlierChains: number
}

/** What is known about a tier before the chain begins. */
export type TierProspect = Pick<TierPreview, 'tier' | 'name' | 'agent' | 'model' | 'carry'> & {
  readonly promptChars: number
  readonly habits: TurnHabits | null
  readonly price: Price | null
  /** The latest lower tier of the same agent: the one below, another one, or none. */
  readonly ownSession: 'below' | 'lower' | 'none'
  /** As the tier below. */
  readonly sameModel: boolean
  readonly sameTools: boolean
  /** What a trimmed copy would be shorter by; `null`: no earlier chain tells. */
  readonly cutChars: number | null
  /** `null`: no earlier chain tells. */
  readonly noteChars: number | null
  /** What the agent adds to every new session by itself; `null`: not known. */
  readonly overheadTokens: number | null
  /** Whether the agent continues a copy of a session, the session itself, or neither. */
  readonly continues: 'fork' | 'resume' | null
  /** Whether Reprise can write a trimmed copy for the agent. */
  readonly canTrim: boolean
}

export type ChainProspect = {
  /** What the first tier is expected to use; `null`: not known. */
  readonly start: Estimate | null
  /** In order, the first tier first. */
  readonly tiers: readonly TierProspect[]
}

export function previewTiers(prospect: ChainProspect): readonly TierPreview[] {
  const previews: TierPreview[] = []
  let heldTokens: number | null = null
  let spentUsd: number | null = 0
  for (const tier of prospect.tiers) {
    const ways = tier.tier === 1 ? begins(prospect.start) : waysTo(tier, heldTokens)
    const estimate = ways.find(({ isChosen }) => isChosen)?.estimate ?? null
    const costUsd: number | null = estimate?.costUsd ?? null
    spentUsd = spentUsd === null || costUsd === null ? null : spentUsd + costUsd
    const { tier: number, name, agent, model, carry } = tier
    previews.push({
      tier: number,
      name,
      agent,
      model,
      carry,
      ways,
      estimate,
      upToHereUsd: spentUsd,
    })
    heldTokens = leftBy(tier, estimate ?? ways.find(known)?.estimate ?? null)
  }
  return previews
}

function known({ estimate }: PricedWay): boolean {
  return estimate !== null
}

function begins(estimate: Estimate | null): readonly PricedWay[] {
  return [{ way: 'start', isChosen: true, words: 'chosen: the chain begins here', estimate }]
}

/** What the session holds when the tier has ended. */
function leftBy({ habits }: TierProspect, estimate: Estimate | null): number | null {
  if (estimate === null || habits === null) return null
  const { requests, grownTokens, outputTokens } = habits
  return estimate.tokens + (requests > 1 ? grownTokens : 0) + Math.round(outputTokens / requests)
}

function waysTo(tier: TierProspect, heldTokens: number | null): readonly PricedWay[] {
  const estimates = estimatesOf(tier, heldTokens)
  const { carry, because } = chosenFor(tier, estimates)
  const { continues, ownSession, canTrim, cutChars } = tier
  const canGoOn = continues !== null && ownSession !== 'none'
  const canCut = canGoOn && ownSession === 'below' && canTrim && cutChars !== 0
  const possible: readonly (readonly [CarryOver['way'], WayName])[] = [
    ...(canGoOn ? [['whole', continues] as const] : []),
    ...(canCut ? [['trimmed', 'trimmed'] as const] : []),
    ['note', 'note'],
  ]
  const rows = possible.map(([own, way]) => ({
    way,
    isChosen: own === carry,
    words: own === carry ? `chosen: ${because}` : `with carry: ${own}`,
    estimate: estimates[own],
  }))
  return rows.toSorted((a, b) => Number(b.isChosen) - Number(a.isChosen))
}

function chosenFor(
  { agent, carry, cutChars, continues, canTrim, ownSession }: TierProspect,
  { whole, trimmed }: Record<CarryOver['way'], Estimate | null>,
): { readonly carry: CarryOver['way']; readonly because: string } {
  if (ownSession === 'none')
    return { carry: 'note', because: `${agent} has no session of a lower tier` }
  if (continues === null) return { carry: 'note', because: 'the agent cannot continue a session' }
  if (ownSession === 'lower')
    return {
      carry: 'whole',
      because: `${agent} goes on in its own session and hears what it missed`,
    }
  if (carry === null) return { carry: 'whole', because: 'the policy asks for nothing else' }
  const prices = [whole?.costUsd ?? null, trimmed?.costUsd ?? null]
  const [wholeUsd = null, trimmedUsd = null] = prices
  const { way, because } = chooseCarry({
    carry,
    canWrite: canTrim,
    callWaits: false,
    // Without an earlier chain nobody knows, and most tools can be talkative.
    longOutputs: cutChars === 0 ? 0 : 1,
    isWarm: whole?.cache.state === 'warm',
    expectedUsd:
      wholeUsd === null || trimmedUsd === null ? null : { whole: wholeUsd, trimmed: trimmedUsd },
  })
  return { carry: way, because: carryBecause(because) }
}

/** A tier begins as soon as the one below has ended. */
function estimatesOf(
  tier: TierProspect,
  leftBelow: number | null,
): Record<CarryOver['way'], Estimate | null> {
  const { habits, price, sameModel, sameTools, promptChars, cutChars, noteChars } = tier
  const { overheadTokens, ownSession } = tier
  // What another session of the chain holds by then, nobody knows.
  const heldTokens = ownSession === 'below' ? leftBelow : null
  const cache = cacheStateOf({ ageMs: 0, life: habits?.life ?? '5m', sameModel, sameTools })
  const common = { cache, habits, price }
  const least = overheadTokens ?? 0
  const cut = cutChars === null || heldTokens === null ? null : heldTokens - tokensOfChars(cutChars)
  return {
    whole: estimateTurn({
      ...{ ...common, heldTokens, sentChars: promptChars },
      keptTokens: heldTokens ?? 0,
    }),
    trimmed: estimateTurn({
      ...{ ...common, sentChars: promptChars, keptTokens: least },
      heldTokens: cut === null ? null : Math.max(least, cut),
    }),
    note:
      noteChars === null
        ? null
        : estimateTurn({
            ...{ ...common, heldTokens: overheadTokens, keptTokens: least },
            sentChars: promptChars + noteChars,
          }),
  }
}
