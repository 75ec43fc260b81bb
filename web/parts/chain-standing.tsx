// How a chain stands: `broken off` is a failed chain that a person can continue.
import type { Chain } from '../../src/api.ts'
import { isBrokenOff } from '../../src/core/chain/supervise.ts'
import { Status } from './status.tsx'

export function ChainStanding({ chain }: { readonly chain: Pick<Chain, 'status' | 'because'> }) {
  return <Status status={isBrokenOff(chain) ? 'broken off' : chain.status} />
}
