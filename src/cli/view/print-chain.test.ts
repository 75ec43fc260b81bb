import { expect, test } from 'vitest'
import { SAMPLE_RUN } from '../../../test/sample-run.ts'
import type { Chain, TierSummary } from '../../api.ts'
import { reportedCost } from '../../core/money/reported-cost.ts'
import { NO_USAGE } from '../../core/run/events.ts'
import type { Run } from '../../core/run/run.ts'
import type { Io } from '../start/io.ts'
import { widthOf } from '../terminal/width.ts'
import { printChain } from './print-chain.ts'

const LOOKED: Run = {
  ...SAMPLE_RUN,
  id: 'run_one',
  chainId: 'chn_1',
  tier: 1,
  sandbox: 'bwrap',
  costUsd: 0.02,
  verdict: {
    verdict: 'escalate',
    summary: 'The shop is down.',
    reason: 'I may not restart it.',
    findings: [{ service: 'shop', status: 'down', detail: 'no answer\x1b[31m on port 80' }],
  },
  chainStep: null,
}
const RUNNING: Run = {
  ...LOOKED,
  id: 'run_two',
  tier: 2,
  status: 'running',
  endedAt: null,
  costUsd: null,
  durationMs: null,
  usage: NO_USAGE,
  verdict: null,
  chainStep: null,
}

const tier = (number: number, run: Run): TierSummary => ({
  tier: number,
  name: number === 1 ? 'observe' : 'repair',
  agent: run.agent,
  model: 'm',
  ...reportedCost([run]),
  costDisputed: false,
  durationMs: run.durationMs ?? 0,
  tokens: 0,
  runs: 1,
  status: run.status,
  trust: 'none',
  sandbox: 'bwrap',
})

function printed(runs: readonly Run[], terminal: Pick<Io['stdout'], 'isTTY' | 'columns'> = {}) {
  let out = ''
  const write = (text: string) => (out += text)
  const io: Pick<Io, 'stdout' | 'stderr' | 'env'> = {
    stdout: { write, ...terminal },
    stderr: { write, ...terminal },
    env: { NO_COLOR: '1' },
  }
  const chain = {
    id: 'chn_1',
    policy: 'ops',
    status: 'running',
    dryRun: false,
    words: 'tier 2 is at work',
    because: { code: 'running' },
    runs,
    byTier: runs.map(run => tier(run.tier ?? 1, run)),
    agent: 'claude-code',
    tiers: [],
    totals: {
      ...reportedCost(runs),
      durationMs: 0,
      tokens: 0,
    },
  } as unknown as Chain
  printChain(io as Io, chain)
  return out
}

test('E-8 a chain shows the summary, the reason and the findings of each tier', () => {
  const lines = printed([LOOKED, RUNNING]).split('\n')
  const at = lines.indexOf('tier 1 observe: escalate')
  expect(lines.slice(at, at + 4)).toEqual([
    'tier 1 observe: escalate',
    'The shop is down.',
    'reason: I may not restart it.',
    '- shop: down, no answer␛[31m on port 80',
  ])
  expect(lines).toContain('tier 2 repair: running')
})

test('what is not known yet is a dash, not a zero', () => {
  const running = printed([RUNNING])
  expect(running).toMatch(/2 repair .* – {2,}– {2}run_two/)
  expect(running).toContain('total – · tokens unknown')
  expect(printed([LOOKED, RUNNING])).toContain('total $0.0200')
})

test('E-16 E-8 tiers of several agents name them, and a cost that an agent does not say is not zero', () => {
  const other: Run = { ...RUNNING, agent: 'codex', status: 'completed', endedAt: 9 }
  const out = printed([LOOKED, other])
  expect(out).toMatch(/^tier +agent +model/m)
  expect(out).toMatch(/^2 repair +codex .* not reported +run_two/m)
  expect(out).toContain('total $0.0200 + not reported')
  expect(printed([other])).toContain('total not reported')
  expect(printed([LOOKED, RUNNING])).not.toMatch(/^tier +agent/m)
})

test('on a terminal of 80 columns the cost and the run are there, and long texts are broken at words', () => {
  const summary = `The shop is down: ${'it answers with 502 '.repeat(6)}and 日本語の題名です`
  const verdict = LOOKED.verdict && { ...LOOKED.verdict, summary, reason: summary }
  const out = printed([{ ...LOOKED, verdict }, RUNNING], { isTTY: true, columns: 80 })
  expect(out).toMatch(/^1 obser… .*\$0\.0200 {2}run_one/m)
  expect(out).toMatch(/^reason: The shop is down: .*\n {8}\S/m)
  for (const line of out.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(80)
})
