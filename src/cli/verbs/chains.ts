// reprise chains: list, show with cost per tier, preview the next tier, cancel.
import type { Chain } from '../../api.ts'
import type { ChainStatus } from '../../core/chain/supervise.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { type Column, costWords, printJson, printLine } from '../view/print.ts'
import { printChain } from '../view/print-chain.ts'
import { printTierPreview } from '../view/print-chain-preview.ts'
import { type PageFlags, printPage } from '../view/print-list.ts'

export type ChainListFlags = PageFlags & {
  readonly status?: ChainStatus
  readonly policy?: string
}

export async function listChains(io: Io, flags: ChainListFlags): Promise<number> {
  const { status, policy, since, cursor } = flags
  const empty = 'no chains; start one with `reprise escalate`'
  return withReprise(io, reprise => {
    const list = (limit: number) => reprise.chains.list({ status, policy, since, cursor, limit })
    return printPage(io, list, { ...flags, columns: CHAIN_COLUMNS, empty })
  })
}

const CHAIN_COLUMNS: readonly Column<Chain>[] = [
  { title: 'chain', id: chain => chain.id },
  { title: 'started', time: chain => chain.createdAt },
  { title: 'policy', cell: chain => chain.policy },
  { title: 'status', cell: chain => chain.status },
  { title: 'tier', cell: chain => `${chain.tier} of ${chain.maxTier}` },
  { title: 'cost', cell: chain => costWords(chain.totals), align: 'right' },
  { title: 'prompt', text: chain => chain.prompt },
]

export async function showChain(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const chain = id.startsWith('run_')
      ? await reprise.chains.ofRun(id)
      : await reprise.chains.get(id)
    if (flags.json) printJson(io, chain)
    else printChain(io, chain)
    return 0
  })
}

export async function previewNextTier(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    printTierPreview(io, await reprise.chains.previewNext(id), flags)
    return 0
  })
}

export async function cancelChain(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const chain = await reprise.chains.cancel(id)
    if (flags.json) printJson(io, chain)
    else printLine(io, `${chain.id} is ${chain.status}`)
    return 0
  })
}
