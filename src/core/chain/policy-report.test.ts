import { expect, test } from 'vitest'
import { readPolicyFile } from '../../config/read-policy.ts'
import { reportPolicy } from './policy-report.ts'

const ops = readPolicyFile(new URL('../../../policies/ops.yaml', import.meta.url).pathname)

test('E-1 a policy says what each of its tiers may do and cost', () => {
  const policy = ops
  const report = reportPolicy({ name: 'nightly', policy }, () => null)
  expect(report).toMatchObject({ name: 'nightly', agent: policy.agent, maxTier: 3, problem: null })
  expect(report.budgetUsd).toBe(policy.budget.usd)
  expect(report.tiers).toHaveLength(policy.tiers.length)
  for (const [index, { number, agent, budgetUsd, ...rest }] of report.tiers.entries()) {
    expect([number, agent]).toEqual([index + 1, null])
    expect(budgetUsd).toBe(policy.tiers[index]?.budget.usd)
    expect(policy.tiers[index]).toMatchObject(rest)
  }
})

test.each([
  [2, 2],
  [9, 3],
])('E-1 with maxTier %d a chain of three tiers reaches tier %d', (maxTier, reached) => {
  const policy = { ...ops, maxTier }
  expect(reportPolicy({ name: 'ops', policy }, () => null).maxTier).toBe(reached)
})

test('E-16 a tier names its agent, and a policy that the agents here cannot be held to says why', () => {
  const policy = { ...ops, tiers: ops.tiers.map(tier => ({ ...tier, agent: 'codex' })) }
  const report = reportPolicy({ name: 'ops', policy }, () => 'codex knows no rules')
  expect(report).toMatchObject({ maxTier: 3, problem: 'codex knows no rules' })
  expect(report.tiers.map(({ agent }) => agent)).toEqual(['codex', 'codex', 'codex'])
})

test('E-1 a policy that cannot be used says why and has no tiers', () => {
  const problem = 'there is no policy file /etc/ops.yaml'
  expect(reportPolicy({ name: 'ops', problem }, () => null)).toEqual({
    name: 'ops',
    agent: null,
    maxTier: 0,
    budgetUsd: null,
    tiers: [],
    problem,
  })
})
