// A chain as a picture: the spans of its tiers, how each session goes on, and the cost so far.
import type { Chain } from '../../src/api.ts'
import type { Decision } from '../../src/core/decide/decision.ts'
import type { Run } from '../../src/core/run/run.ts'
import type { Span } from './waterfall.ts'

/** How the session of a run follows from the one before: the same, a fork of it, or a new one. */
export type Joint = 'same' | 'fork' | 'new'

export function jointOf(action: Decision['action'] | undefined): Joint {
  if (action === 'resume') return 'same'
  return action === 'fork' ? 'fork' : 'new'
}

/** The spans of all runs; time in which a person was waited for belongs to the tier that they let the chain into. */
export function spansOfChain(
  chain: Pick<Chain, 'runs' | 'because' | 'status'>,
  now: number,
): Span[] {
  const spans: Span[] = []
  let last: Run | null = null
  for (const run of chain.runs) {
    const row = `${run.tier}`
    const startedAt = run.startedAt ?? run.endedAt ?? now
    if (last?.endedAt && run.queuedAt > last.endedAt) {
      spans.push({ row, kind: 'held', from: last.endedAt, to: run.queuedAt })
    }
    spans.push({ row, kind: 'queued', from: run.queuedAt, to: startedAt })
    if (run.startedAt !== null) {
      spans.push({ row, kind: 'running', from: startedAt, to: run.endedAt ?? now })
    }
    last = run
  }
  if (chain.status === 'held' && last?.endedAt) {
    spans.push({ row: `${chain.because.tier}`, kind: 'held', from: last.endedAt, to: now })
  }
  return spans.filter(({ from, to, kind }) => kind === 'running' || to > from)
}

export type CostPoint = { readonly time: number; readonly usd: number }

/** The cost grows while a run works; nobody knows how, so it is drawn as a straight line. */
export function costPoints(runs: readonly Run[], now: number): readonly CostPoint[] {
  const points: CostPoint[] = []
  let usd = 0
  for (const { startedAt, endedAt, costUsd } of runs) {
    if (startedAt === null) continue
    points.push({ time: startedAt, usd })
    usd += costUsd ?? 0
    points.push({ time: endedAt ?? now, usd })
  }
  return points
}
