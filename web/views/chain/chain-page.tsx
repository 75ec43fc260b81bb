// One chain: what it cost tier by tier, when each tier worked, what it found, and why the chain is where it is.
import type { Chain } from '../../../src/api.ts'
import { sentence } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { useFilters } from '../../data/filters.ts'
import { useResource } from '../../data/resource.ts'
import { costSum, sumOfMoney } from '../../format.ts'
import { ChainStanding } from '../../parts/chain-standing.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { Elapsed, Time } from '../../parts/time.tsx'
import { useShortcut } from '../../shell/shortcuts.ts'
import { View } from '../../shell/view.tsx'
import { ChainActions } from './chain-actions.tsx'
import { type ChainDraft, StartChain } from './start-chain.tsx'
import { TierColumns } from './tier-columns.tsx'
import { TierTable } from './tier-table.tsx'

export function ChainPage({ id }: { readonly id: string }) {
  const { value, error, refresh } = useResource(`chain page ${id}`, () => reprise.chains.get(id), [
    `chain:${id}`,
    'chains',
    'runs',
  ])
  if (!value) {
    return (
      <View title="Chain">
        {error ? (
          <Trouble error={error} retry={refresh} list={['Show all chains', '/chains']} />
        ) : (
          <Skeleton />
        )}
      </View>
    )
  }
  return <ShownChain chain={value} />
}

function ShownChain({ chain }: { readonly chain: Chain }) {
  const filters = useFilters()
  const last = chain.byTier.at(-1)?.tier ?? 1
  const chosen = Number(filters.get('tier') ?? last)
  const step = (by: number) => {
    const next = chosen + by
    if (chain.byTier.some(({ tier }) => tier === next)) filters.set({ tier: String(next) })
  }
  useShortcut('j', 'Next tier', () => step(1))
  useShortcut('k', 'Previous tier', () => step(-1))
  return (
    <View
      title={chain.prompt.split('\n')[0] ?? chain.id}
      beside={<ChainStanding chain={chain} />}
      actions={<ChainActions chain={chain} />}
    >
      <ChainFacts chain={chain} />
      <div class="view-scroll">
        <Sums chain={chain} />
        <TierTable chain={chain} chosen={chosen} />
        <TierColumns chain={chain} chosen={chosen} />
      </div>
      {filters.get('start') !== undefined && <StartChain like={draftOf(chain)} />}
    </View>
  )
}

function ChainFacts({ chain }: { readonly chain: Chain }) {
  const { id, policy, maxTier, budgetUsd, workDir, createdAt, endedAt, status, dryRun } = chain
  return (
    <p class="fact-bar">
      <Copy text={id} />
      <span>
        policy{' '}
        <b>
          <a href={`/chains?policy=${encodeURIComponent(policy)}`}>{policy}</a>
        </b>
      </span>
      <span>
        ceiling <b>tier {maxTier}</b>
      </span>
      <span>
        budget <b>{budgetUsd === null ? 'no limit' : sumOfMoney(budgetUsd)}</b>
      </span>
      <b class="mono">{workDir}</b>
      <span>
        started <Time at={createdAt} as="words" />,{' '}
        <b>
          <Elapsed since={createdAt} until={status === 'running' ? null : endedAt} />
        </b>
      </span>
      {dryRun && <span class="chip plain">dry run</span>}
      {chain.scheduleId !== null && <span>started by a schedule</span>}
    </p>
  )
}

/** `$0.03 + $0.47 + $2.00 = $2.50`, and where the chain is. */
function Sums({ chain }: { readonly chain: Chain }) {
  const { byTier, totals, words } = chain
  const summary = chain.runs.at(-1)?.verdict?.summary
  return (
    <section class="sums">
      <dl>
        {byTier.map(tier => (
          <div key={tier.tier}>
            <dt>tier {tier.tier}</dt>
            <dd
              title={
                tier.costDisputed ? 'The reported cost and the list prices disagree.' : undefined
              }
            >
              {costSum(tier)}
              {tier.costDisputed && <span class="warn"> ?</span>}
            </dd>
          </div>
        ))}
        <div class="total">
          <dt>total</dt>
          <dd>{costSum(totals)}</dd>
        </div>
      </dl>
      <p>
        {sentence(words)} {chain.status === 'resolved' && <span class="muted">{summary}</span>}
      </p>
    </section>
  )
}

/** To start the same once more. */
function draftOf({ policy, prompt, workDir, maxTier, budgetUsd, dryRun }: Chain): ChainDraft {
  return {
    policy,
    prompt,
    workDir,
    maxTier: String(maxTier),
    budgetUsd: budgetUsd === null ? '' : String(budgetUsd),
    dryRun,
  }
}
