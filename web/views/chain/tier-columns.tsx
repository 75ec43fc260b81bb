// What each tier found, why it escalated, and what its fence refused.
import type { Chain, TierSummary } from '../../../src/api.ts'
import { chainReasonWords } from '../../../src/core/chain/chain-words.ts'
import type { Run } from '../../../src/core/run/run.ts'
import { Findings } from '../../content/findings.tsx'
import { sentence } from '../../data/act.ts'
import { costSum, counted, duration, sumOfMoney } from '../../format.ts'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Status } from '../../parts/status.tsx'
import { jointOf } from '../../pictures/chain-picture.ts'
import { Refusals } from './refusals.tsx'

type TierColumnsProps = { readonly chain: Chain; readonly chosen: number }

export function TierColumns({ chain, chosen }: TierColumnsProps) {
  return (
    <div class="tier-columns">
      {chain.byTier.map(tier => (
        <TierColumn
          key={tier.tier}
          chain={chain}
          tier={tier}
          runs={chain.runs.filter(run => run.tier === tier.tier)}
          isChosen={tier.tier === chosen}
        />
      ))}
    </div>
  )
}

type TierColumnProps = {
  readonly chain: Chain
  readonly tier: TierSummary
  readonly runs: readonly Run[]
  readonly isChosen: boolean
}

function TierColumn({ chain, tier, runs, isChosen }: TierColumnProps) {
  const report = chain.tiers.find(({ number }) => number === tier.tier)
  const verdict = runs.findLast(run => run.verdict !== null)?.verdict ?? null
  return (
    <section class={isChosen ? 'tier-column selected' : 'tier-column'}>
      <h2>
        <span class={`tier-number ${jointOf(runs[0]?.decision?.action)}`}>{tier.tier}</span>
        {tier.name}
      </h2>
      <ul class="tier-runs">
        {runs.map(run => (
          <li key={run.id}>
            <a href={`/runs/${run.id}`} title="Why it went on like this">
              {run.decision ? <DecisionChip action={run.decision.action} /> : 'queued'}
            </a>
            {run.status !== 'completed' && <Status status={run.status} />}
            {runs.length > 1 && <span class="meta">{sumOfMoney(run.costUsd)}</span>}
          </li>
        ))}
        <li class="meta">
          {duration(tier.durationMs)}, {costSum(tier)}
          {report && report.budgetUsd !== null ? ` of ${sumOfMoney(report.budgetUsd)}` : ''}
        </li>
      </ul>
      <h3>Findings</h3>
      <Findings verdict={verdict} />
      {verdict !== null && verdict.findings.length > 0 && <p class="muted">{verdict.summary}</p>}
      <Steps runs={runs} />
      <Refusals runs={runs} rules={report?.disallowedTools ?? []} />
    </section>
  )
}

/** What the supervisor made of the tier, run by run. */
function Steps({ runs }: { readonly runs: readonly Run[] }) {
  const last = runs.at(-1)
  const step = last?.chainStep
  if (!last || !step) return null
  const asked = runs.filter(run => run.chainStep?.kind === 'ask-verdict').length
  const isUp = step.kind === 'enter' || last.verdict?.verdict === 'escalate'
  return (
    <>
      <h3>{isUp ? 'Why it escalated' : 'How it ended'}</h3>
      <p class="step-words">
        <span
          class={isUp ? 'info' : step.kind === 'end' && step.status === 'resolved' ? 'ok' : 'bad'}
        >
          <Icon name={isUp ? 'escalate' : iconOf(step)} />
        </span>
        <span>
          {sentence(chainReasonWords(step.because))}
          {step.kind === 'end' && last.verdict?.reason && ` ${sentence(last.verdict.reason)}`}
        </span>
      </p>
      {asked > 0 && <p class="meta">Asked {counted(asked, 'time')} for a usable verdict.</p>}
    </>
  )
}

function iconOf(step: NonNullable<Run['chainStep']>) {
  if (step.kind !== 'end') return 'escalate' as const
  return step.status === 'resolved' || step.status === 'cancelled' || step.status === 'held'
    ? step.status
    : ('failed' as const)
}
