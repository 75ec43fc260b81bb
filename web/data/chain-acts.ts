// What a person can do with a chain, and why not: the same in the inbox and on the page of the chain.
import type { Chain } from '../../src/api.ts'
import { isBrokenOff } from '../../src/core/chain/supervise.ts'
import { clockTime } from '../format.ts'
import { sentence, useAct } from './act.ts'
import { reprise } from './client.ts'
import { now } from './clock.ts'
import { approveChain, continueChain } from './verbs.ts'

export type ChainActs = {
  /** `null`: nothing waits for a person. */
  readonly goOn: {
    readonly verb: 'approve' | 'continue'
    readonly tier: number
    readonly whyNot: string | null
  } | null
  readonly canCancel: boolean
  /** Each resolves to whether it went well. */
  readonly onGoOn: () => Promise<boolean>
  readonly onCancel: () => Promise<boolean>
}

export function useChainActs(chain: Chain): ChainActs {
  const { act } = useAct()
  const goOn = goOnOf(chain, now.value)
  return {
    goOn,
    canCancel: chain.status === 'running' || goOn !== null,
    onGoOn: () =>
      goOn?.verb === 'approve'
        ? act(() => approveChain(chain.id), `Tier ${goOn.tier} is approved.`)
        : act(() => continueChain(chain.id), 'The chain continues.'),
    onCancel: () => act(() => reprise.chains.cancel(chain.id), 'The chain is cancelled.'),
  }
}

function goOnOf(chain: Chain, at: number): ChainActs['goOn'] {
  const { because } = chain
  if (isBrokenOff(chain)) return { verb: 'continue', tier: because.tier, whyNot: null }
  if (chain.status !== 'held') return null
  return { verb: 'approve', tier: because.tier, whyNot: whyNotApprove(chain, at) }
}

/** An approval does not lift a spent budget or a cooldown. */
function whyNotApprove({ because, words }: Chain, at: number): string | null {
  if (because.code === 'budget-spent') return sentence(words)
  if (because.code !== 'tier-cooling') return null
  const until = because.lastEnteredAt + because.cooldownMs
  return until <= at ? null : `Tier ${because.tier} rests until ${clockTime(until)}.`
}
