import { expect, test } from 'vitest'
import { SAMPLE_RUN } from '../../../test/sample-run.ts'
import type { Io } from '../start/io.ts'
import { printRun } from './print-run.ts'

function printed(run: Parameters<typeof printRun>[1], text: string | null = null): string {
  let out = ''
  const io = { stdout: { write: (piece: string) => (out += piece) }, env: { REPRISE_UTC: '1' } }
  const prompt = text === null ? null : { text, bytes: 1, truncated: false, arguments: [] }
  printRun(io as unknown as Io, run, { questions: [], prompt })
  return out
}

test('U-1 a run shows its chain and tier, its parent, why it continued so, and its prompt', () => {
  const run = { ...SAMPLE_RUN, chainId: 'chn_1', tier: 2, parentRunId: 'run_0' }
  const shown = printed(run, 'Check the shop.\n\nFindings so far: none')
  expect(shown).toContain('chain        chn_1, tier 2\n')
  expect(shown).toContain('parent       run_0\n')
  expect(shown).toMatch(/^reason {7}\S/m)
  expect(shown).toContain('told:\n  Check the shop.\n\n  Findings so far: none\n')
  expect(shown).toContain('started      1970-01-01 00:00:00 UTC\n')
})

test('a long prompt is shown by its beginning, with the command for the rest', () => {
  const shown = printed(SAMPLE_RUN, Array.from({ length: 20 }, (_, n) => `line ${n}`).join('\n'))
  expect(shown).toContain('  line 7\n  … 12 more lines: reprise runs prompt run_1\n')
})

test('a run that waits has no times, no prompt and no zeros', () => {
  const waiting = { ...SAMPLE_RUN, status: 'queued', startedAt: null, endedAt: null } as const
  const shown = printed({ ...waiting, decision: null, durationMs: null, costUsd: null })
  expect(shown).not.toMatch(/started|ended|told|took|reason/)
})
