// reprise chains: list, show with cost per tier, cancel.
import type { Chain, TierSummary } from '../../api.ts'
import { type ChainStatus, isBrokenOff } from '../../core/chain/supervise.ts'
import type { Run } from '../../core/run/run.ts'
import { trustWords } from '../../core/run/trust.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import { type Io, paint } from '../start/io.ts'
import { type Column, count, printJson, printLine, table, usd, when } from '../view/print.ts'
import { sanitise, sanitiseLine } from '../view/sanitise.ts'

export type ChainListFlags = JsonFlag & {
  readonly status?: ChainStatus
  readonly policy?: string
  readonly limit: number
  readonly cursor?: string
}

export async function listChains(io: Io, flags: ChainListFlags): Promise<number> {
  return withReprise(io, async reprise => {
    const chains = await reprise.chains.list({
      limit: flags.limit,
      ...(flags.status !== undefined && { status: flags.status }),
      ...(flags.policy !== undefined && { policy: flags.policy }),
      ...(flags.cursor !== undefined && { cursor: flags.cursor }),
    })
    if (flags.json) printJson(io, chains)
    else if (chains.length === 0) io.stderr.write('no chains; start one with `reprise escalate`\n')
    else io.stdout.write(table(chains, CHAIN_COLUMNS))
    return 0
  })
}

const CHAIN_COLUMNS: readonly Column<Chain>[] = [
  { title: 'chain', cell: chain => chain.id },
  { title: 'started', cell: chain => when(chain.createdAt) },
  { title: 'policy', cell: chain => chain.policy },
  { title: 'status', cell: chain => chain.status },
  { title: 'tier', cell: chain => `${chain.tier} of ${chain.maxTier}` },
  { title: 'cost', cell: chain => usd(chain.totals.costUsd), align: 'right' },
  { title: 'prompt', cell: chain => chain.prompt, max: 40 },
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

export async function cancelChain(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const chain = await reprise.chains.cancel(id)
    if (flags.json) printJson(io, chain)
    else printLine(io, `${chain.id} is ${chain.status}`)
    return 0
  })
}

export function printChain(io: Io, chain: Chain): void {
  const bold = paint(io, io.stdout, 'bold')
  const dry = chain.dryRun ? ' · dry run' : ''
  printLine(io, `${bold(chain.id)} ${chain.policy} · ${bold(chain.status)}${dry}`)
  printLine(io, sanitiseLine(chain.words))
  for (const line of notContained(chain)) printLine(io, sanitiseLine(line))
  if (chain.byTier.length > 0) io.stdout.write(`\n${table(chain.byTier, tierColumns(chain))}`)
  for (const { tier, trust } of chain.byTier) {
    if (trust !== 'none') printLine(io, `tier ${tier} trusts ${trustWords(trust)}`)
  }
  printLine(io, `\ntotal ${usd(chain.totals.costUsd)} · ${count(chain.totals.tokens)} tokens`)
  printVerdict(io, chain)
  const hint = personsHint(chain)
  if (hint) io.stderr.write(`${hint} ${chain.id}\n`)
}

/** One line for each tier that ran without a sandbox, with the reason. */
function notContained({ runs }: Chain): readonly string[] {
  const tiers = Map.groupBy(runs.filter(isNotContained), run => run.tier ?? 1)
  return [...tiers].map(([tier, [run]]) => {
    return `tier ${tier} ran without a sandbox (${run?.sandboxNote ?? 'as it was asked to'})`
  })
}

function isNotContained({ sandbox }: Run): boolean {
  return sandbox === 'none'
}

function printVerdict(io: Io, { runs }: Chain): void {
  const said = runs.findLast(run => run.verdict !== null)?.verdict
  if (!said) return
  printLine(io, `\n${sanitise(said.summary)}`)
  for (const { service, status, detail } of said.findings) {
    printLine(io, `- ${sanitiseLine(service)}: ${sanitiseLine(status)}, ${sanitiseLine(detail)}`)
  }
}

/** What a person can do about a chain that has stopped. */
function personsHint(chain: Chain): string | null {
  if (isBrokenOff(chain)) return 'continue it: reprise chains continue'
  if (chain.status !== 'held') return null
  const { code } = chain.because
  if (code === 'approval-needed') return 'approve it: reprise chains approve'
  return code === 'tier-cooling'
    ? 'approve it when the cooldown of the tier is over: reprise chains approve'
    : null
}

function tierColumns(chain: Chain): readonly Column<TierSummary>[] {
  const lastRun = (tier: TierSummary) => chain.runs.findLast(run => run.tier === tier.tier)
  return [
    { title: 'tier', cell: tier => `${tier.tier} ${tier.name}` },
    { title: 'model', cell: tier => tier.model ?? '–' },
    { title: 'decision', cell: tier => lastRun(tier)?.decision?.action ?? '–' },
    {
      title: 'status',
      cell: tier => `${tier.status}${tier.runs > 1 ? ` (${tier.runs} runs)` : ''}`,
    },
    { title: 'verdict', cell: tier => lastRun(tier)?.verdict?.verdict ?? '–' },
    { title: 'sandbox', cell: tier => lastRun(tier)?.sandbox ?? '–' },
    { title: 'seconds', cell: tier => (tier.durationMs / 1_000).toFixed(1), align: 'right' },
    {
      title: 'cost',
      cell: tier => `${usd(tier.costUsd)}${tier.costDisputed ? ' (disputed)' : ''}`,
      align: 'right',
    },
    { title: 'run', cell: tier => lastRun(tier)?.id ?? '–' },
  ]
}
