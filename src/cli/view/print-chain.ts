// A chain on the terminal: its tiers with their cost, and what each of its runs found and why it went on.
import type { Chain, TierSummary } from '../../api.ts'
import { chainStepWords } from '../../core/chain/chain-words.ts'
import { isBrokenOff } from '../../core/chain/supervise.ts'
import { tookWords } from '../../core/duration-words.ts'
import type { Run } from '../../core/run/run.ts'
import { trustWords } from '../../core/run/trust.ts'
import { type Io, paint } from '../start/io.ts'
import { beside, type Column, costWords, count, printLine, printTable } from './print.ts'
import { sanitise, sanitiseLine } from './sanitise.ts'

export function printChain(io: Io, chain: Chain): void {
  const bold = paint(io, io.stdout, 'bold')
  const dry = chain.dryRun ? ' · dry run' : ''
  printLine(io, `${bold(chain.id)} ${chain.policy} · ${bold(chain.status)}${dry}`)
  for (const line of [chain.words, ...notContained(chain)]) {
    printLine(io, beside(io.stdout, 0, sanitiseLine(line)))
  }
  if (chain.byTier.length > 0) {
    printLine(io, '')
    printTable(io, chain.byTier, tierColumns(chain))
  }
  for (const { tier, trust } of chain.byTier) {
    if (trust !== 'none')
      printLine(io, beside(io.stdout, 0, `tier ${tier} trusts ${trustWords(trust)}`))
  }
  const { tokens } = chain.totals
  const used = tokens === 0 ? 'tokens unknown' : `${count(tokens)} tokens`
  if (chain.runs.length > 0) printLine(io, `\ntotal ${costWords(chain.totals)} · ${used}`)
  for (const run of chain.runs) printFound(io, chain, run)
  const hint = personsHint(chain)
  if (hint === null) return
  const what = chain.status === 'held' ? 'the next tier' : 'that'
  io.stderr.write(`${hint} ${chain.id}\n`)
  io.stderr.write(`what ${what} would cost: reprise chains preview ${chain.id}\n`)
}

/** What the agent of a tier said at its end, and what the supervisor made of it. */
function printFound(
  io: Io,
  chain: Chain,
  { tier, verdict, failure, chainStep, status }: Run,
): void {
  const bold = paint(io, io.stdout, 'bold')
  const dim = paint(io, io.stdout, 'dim')
  const name = chain.byTier.find(one => one.tier === tier)?.name ?? ''
  const end = verdict?.verdict ?? status
  printLine(io, `\n${bold(sanitiseLine(`tier ${tier ?? 1} ${name}: ${end}`))}`)
  const print = (head: string, text: string) => {
    printLine(io, `${head}${beside(io.stdout, head.length, text)}`)
  }
  if (verdict) print('', sanitise(verdict.summary))
  if (verdict?.reason) print('reason: ', sanitise(verdict.reason))
  if (failure) print('failure: ', sanitise(failure.message))
  for (const { service, status: state, detail } of verdict?.findings ?? []) {
    print('- ', sanitiseLine(`${service}: ${state}, ${detail}`))
  }
  if (chainStep) {
    printLine(io, dim(`▸ ${beside(io.stdout, 2, sanitiseLine(chainStepWords(chainStep)))}`))
  }
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

/** What a person can do about a chain that has stopped. */
function personsHint(chain: Chain): string | null {
  if (isBrokenOff(chain)) return 'continue it: reprise chains continue'
  if (chain.status !== 'held') return null
  const { code } = chain.because
  if (code === 'approval-needed') return 'approve it: reprise chains approve'
  if (code === 'tier-agent-missing') {
    return 'approve it when the agent can be started again: reprise chains approve'
  }
  return code === 'tier-cooling'
    ? 'approve it when the cooldown of the tier is over: reprise chains approve'
    : null
}

function hasSeveralAgents({ byTier, tiers, agent }: Chain): boolean {
  const planned = tiers.map(tier => tier.agent ?? agent)
  return new Set([...byTier.map(agentOf), ...planned]).size > 1
}

const agentOf = ({ agent }: TierSummary) => agent

function tierColumns(chain: Chain): readonly Column<TierSummary>[] {
  const runsOf = (tier: TierSummary) => chain.runs.filter(run => run.tier === tier.tier)
  const lastRun = (tier: TierSummary) => runsOf(tier).at(-1)
  const isTimed = (tier: TierSummary) => runsOf(tier).some(run => run.durationMs !== null)
  return [
    { title: 'tier', text: tier => `${tier.tier} ${tier.name}` },
    ...(hasSeveralAgents(chain) ? [{ title: 'agent', cell: agentOf }] : []),
    { title: 'model', text: tier => tier.model ?? '–', keep: 'end' },
    { title: 'decision', cell: tier => lastRun(tier)?.decision?.action ?? '–' },
    {
      title: 'status',
      cell: tier => `${tier.status}${tier.runs > 1 ? ` (${tier.runs} runs)` : ''}`,
    },
    { title: 'verdict', cell: tier => lastRun(tier)?.verdict?.verdict ?? '–' },
    {
      title: 'took',
      cell: tier => (isTimed(tier) ? tookWords(tier.durationMs) : '–'),
      align: 'right',
    },
    {
      title: 'cost',
      cell: tier => `${costWords(tier)}${tier.costDisputed ? ' (disputed)' : ''}`,
      align: 'right',
    },
    { title: 'run', id: tier => lastRun(tier)?.id ?? null },
    { title: 'sandbox', cell: tier => lastRun(tier)?.sandbox ?? '–' },
  ]
}
