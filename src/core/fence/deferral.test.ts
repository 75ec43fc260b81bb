import { expect, test } from 'vitest'
import type { Mandate, Tier } from '../chain/policy.ts'
import { NO_BUDGET } from '../money/budget.ts'
import { deferrable } from './deferral.ts'

const tier = (allowedTools: readonly string[], disallowedTools: readonly string[] = []): Tier => ({
  ...{ name: 't', role: 'r', model: null, permissionMode: 'dontAsk', actions: [], cooldownMs: 0 },
  ...{ dryRun: false, budget: NO_BUDGET, contextThreshold: null, approval: 'auto' as const },
  allowedTools,
  disallowedTools,
})

const mandate = (more: Partial<Mandate> = {}, whenForbidden: 'defer' | 'refuse' = 'defer') => ({
  policy: {
    ...{ name: 'p', agent: null, maxTier: 2, contextThreshold: null, budget: NO_BUDGET },
    whenForbidden,
    tiers: [
      tier(['Bash', 'Read'], ['NotebookEdit', 'Bash(docker restart:*)', 'Bash(helm:*)']),
      tier(['Bash', 'Read', 'Write', 'NotebookEdit', 'Bash(x:*)'], ['Bash(helm:*)']),
    ],
  },
  maxTier: 2,
  dryRun: false,
  budget: NO_BUDGET,
  ...more,
})

test('E-10 a call that only the next tier may make is parked; a call of a tool that the tier forbids as a whole is not', () => {
  expect(deferrable(mandate(), 1, ['Bash'])).toEqual({
    tools: ['Write'],
    commands: ['docker restart'],
  })
})

test.each([
  ['the last tier', mandate(), 2],
  ['a ceiling', mandate({ maxTier: 1 }), 1],
  ['a dry run', mandate({ dryRun: true }), 1],
  ['a policy that refuses', mandate({}, 'refuse'), 1],
])('E-10 nothing is parked for %s', (_, given, at) =>
  expect(deferrable(given, at, ['Bash'])).toBeNull(),
)
