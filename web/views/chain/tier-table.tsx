// The waterfall of a chain: one row per tier, with the line of its session, its bars, tokens, cost and verdict.
import type { Chain, TierSummary } from '../../../src/api.ts'
import { now } from '../../data/clock.ts'
import { costSum, count, counted, duration } from '../../format.ts'
import { ChainStanding } from '../../parts/chain-standing.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { jointOf, spansOfChain } from '../../pictures/chain-picture.ts'
import { type Bar, layoutWaterfall, type Waterfall } from '../../pictures/waterfall.ts'
import { CostLine } from './cost-line.tsx'

type TierTableProps = { readonly chain: Chain; readonly chosen: number }

export function TierTable({ chain, chosen }: TierTableProps) {
  // A chain that is over needs no clock.
  const at = chain.status === 'running' || chain.status === 'held' ? now.value : 0
  const waterfall = layoutWaterfall(spansOfChain(chain, at), 100)
  const { byTier, totals, runs } = chain
  const heldIn = chain.status === 'held' ? chain.because.tier : null
  const isNew = heldIn !== null && !byTier.some(({ tier }) => tier === heldIn)
  return (
    <>
      <table class="waterfall">
        <thead>
          <tr>
            <th class="line-cell">
              <span class="unseen">Session</span>
            </th>
            <th class="tier-cell">Tier</th>
            <th class="bars-cell">
              <span class="unseen">Time</span>
              <Ticks waterfall={waterfall} />
            </th>
            <th class="number tokens-cell">Tokens</th>
            <th class="number cost-cell">Cost</th>
            <th class="verdict-cell">Verdict</th>
          </tr>
        </thead>
        <tbody>
          <tr class="whole">
            <td class="line-cell" />
            <td class="tier-cell">
              <span class="name">Whole chain</span>
              <span class="meta">
                {counted(byTier.length, 'tier')}, {counted(runs.length, 'run')}
              </span>
            </td>
            <td class="bars-cell">
              <Grid waterfall={waterfall} />
              <span class="bar whole-bar" style={{ width: `${waterfall.whole.width}%` }} />
            </td>
            <td class="number tokens-cell">{count(totals.tokens)}</td>
            <td class="number cost-cell">{costSum(totals)}</td>
            <td class="verdict-cell">
              <ChainStanding chain={chain} />
            </td>
          </tr>
          {byTier.map((tier, index) => (
            <TierRow
              key={tier.tier}
              chain={chain}
              tier={tier}
              waterfall={waterfall}
              isChosen={tier.tier === chosen}
              isLast={index === byTier.length - 1 && !isNew}
            />
          ))}
          {isNew && heldIn !== null && (
            <HeldRow chain={chain} tier={heldIn} waterfall={waterfall} />
          )}
          <CostLine chain={chain} waterfall={waterfall} at={at} />
        </tbody>
      </table>
      <Legend chain={chain} />
    </>
  )
}

type TierRowProps = {
  readonly chain: Chain
  readonly tier: TierSummary
  readonly waterfall: Waterfall
  readonly isChosen: boolean
  readonly isLast: boolean
}

function TierRow({ chain, tier, waterfall, isChosen, isLast }: TierRowProps) {
  const runs = chain.runs.filter(run => run.tier === tier.tier)
  const joint = jointOf(runs[0]?.decision?.action)
  const next = chain.runs.find(run => run.tier === tier.tier + 1)
  const below = isLast ? 'none' : jointOf(next?.decision?.action)
  const verdict = runs.findLast(run => run.verdict !== null)?.verdict?.verdict
  return (
    <tr class={isChosen ? 'selected' : ''}>
      <td class={`line-cell above-${tier.tier === 1 ? 'none' : joint} below-${below}`}>
        <span class={`tier-number ${joint}`}>{tier.tier}</span>
      </td>
      <td class="tier-cell">
        <a class="name row-link" href={`?tier=${tier.tier}`} aria-current={isChosen || undefined}>
          {tier.name}
        </a>
        <TierMeta
          chain={chain}
          agent={tier.agent}
          model={tier.model ?? (tier.status === 'queued' ? 'not started' : 'its own model')}
        />
      </td>
      <td class="bars-cell">
        <Grid waterfall={waterfall} />
        {barsOf(waterfall, tier.tier).map((bar, index) => (
          <BarShown key={index} bar={bar} tier={tier} />
        ))}
      </td>
      <td class="number tokens-cell">{count(tier.tokens)}</td>
      <td class="number cost-cell">{costSum(tier)}</td>
      <td class="verdict-cell">
        <Status status={verdict ?? tier.status} />
      </td>
    </tr>
  )
}

type TierMetaProps = { readonly chain: Chain; readonly agent: string; readonly model: string }

/** The agent is said where tiers differ in it; otherwise it would only cut the model short. */
function TierMeta({ chain, agent, model }: TierMetaProps) {
  const isOneAgent = chain.byTier.every(tier => tier.agent === agent)
  const words = isOneAgent ? model : `${agent}, ${model}`
  return (
    <span class="meta" title={`${agent}, ${model}`}>
      {words}
    </span>
  )
}

type HeldRowProps = {
  readonly chain: Chain
  readonly tier: number
  readonly waterfall: Waterfall
}

/** The tier that a held chain waits for. */
function HeldRow({ chain, tier, waterfall }: HeldRowProps) {
  const report = chain.tiers.find(({ number }) => number === tier)
  return (
    <tr>
      <td class="line-cell above-new below-none">
        <span class="tier-number new">{tier}</span>
      </td>
      <td class="tier-cell">
        <span class="name">{report?.name ?? `tier ${tier}`}</span>
        <TierMeta
          chain={chain}
          agent={report?.agent ?? chain.agent}
          model={report?.model ?? 'not started'}
        />
      </td>
      <td class="bars-cell">
        <Grid waterfall={waterfall} />
        {barsOf(waterfall, tier).map((bar, index) => (
          <BarShown key={index} bar={bar} tier={null} />
        ))}
      </td>
      <td class="number tokens-cell muted">0</td>
      <td class="number cost-cell muted">$0</td>
      <td class="verdict-cell">
        <Status status="held" />
      </td>
    </tr>
  )
}

function barsOf({ bars }: Waterfall, tier: number): readonly Bar[] {
  return bars.filter(({ row }) => row === `${tier}`)
}

const BAR_WORDS: Record<Bar['kind'], string> = {
  queued: 'queued',
  held: 'held for a person',
  running: 'running',
}

/** A picture with a name: the row is what one presses. */
function BarShown({ bar, tier }: { readonly bar: Bar; readonly tier: TierSummary | null }) {
  const { kind, from, to, x, width } = bar
  const cost = kind === 'running' && tier !== null ? `, ${costSum(tier)} in all` : ''
  const name = `${tier?.name ?? 'next tier'}: ${BAR_WORDS[kind]} for ${duration(to - from)}${cost}`
  return (
    <span
      role="img"
      aria-label={name}
      title={name}
      class={`bar ${kind}`}
      style={{ left: `${x}%`, width: `${width}%` }}
    />
  )
}

export function Grid({ waterfall }: { readonly waterfall: Waterfall }) {
  return (
    <>
      {waterfall.ticks.slice(1, -1).map(({ x }) => (
        <i key={x} class="grid-line" style={{ left: `${x}%` }} />
      ))}
    </>
  )
}

function Ticks({ waterfall }: { readonly waterfall: Waterfall }) {
  return (
    <>
      {waterfall.ticks.slice(0, -1).map(({ x, label }) => (
        <span key={x} class="tick" style={{ left: `${x}%` }}>
          {label}
        </span>
      ))}
    </>
  )
}

function Legend({ chain }: { readonly chain: Chain }) {
  const letIn = chain.runs.find((run, index) => {
    const before = chain.runs[index - 1]
    return before?.chainStep?.kind === 'end' && run.queuedAt > (before.endedAt ?? 0)
  })
  return (
    <p class="legend">
      <span>
        <i class="bar queued" /> queued
      </span>
      <span>
        <i class="bar held" /> held for a person
      </span>
      <span>
        <i class="bar running" /> running
      </span>
      <span>
        <i class="stroke fork" /> fork of the session below
      </span>
      <span>
        <i class="stroke new" /> new session
      </span>
      {letIn && (
        <span class="end">
          A person let it go on at <Time at={letIn.queuedAt} as="clock" />
        </span>
      )}
    </p>
  )
}
