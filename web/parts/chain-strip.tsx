// The whole ordered chain in a strip: each tier with its model, status and cost, and the total. It stands above every run of the chain.
import type { Chain } from '../../src/api.ts'
import { costSum } from '../format.ts'
import { ChainStanding } from './chain-standing.tsx'
import { Status } from './status.tsx'

export function ChainStrip({ chain, runId }: { readonly chain: Chain; readonly runId: string }) {
  const current = chain.runs.find(({ id }) => id === runId)?.tier
  return (
    <nav class="chain-strip" aria-label="The chain of this run">
      <a class="strong" href={`/chains/${chain.id}`}>
        Chain <ChainStanding chain={chain} />
      </a>
      <ol>
        {chain.byTier.map(summary => {
          const { tier, name, agent, model, status } = summary
          const run = chain.runs.findLast(one => one.tier === tier)
          return (
            <li key={tier} class={tier === current ? 'current' : ''}>
              <a
                href={run ? `/runs/${run.id}` : `/chains/${chain.id}`}
                aria-current={tier === current ? 'step' : undefined}
              >
                <span class="strong">
                  {tier} {name}
                </span>
                <span class="meta">{model ?? agent}</span>
                <Status status={status} />
                <span>{costSum(summary)}</span>
              </a>
            </li>
          )
        })}
      </ol>
      <span class="strong">= {costSum(chain.totals)}</span>
    </nav>
  )
}
