// The policies that chains can be started with, read once for all who show what a tier may do and cost.
import type { PolicyReport, TierReport } from '../../src/core/chain/policy-report.ts'
import { reprise } from './client.ts'
import { type Resource, useResource } from './resource.ts'

export function usePolicies(): Resource<readonly PolicyReport[]> {
  return useResource('policies', () => reprise.policies())
}

/** As the policy stands now; a chain goes by the copy that it began with. */
export function useTier(policy: string, number: number): TierReport | undefined {
  const found = usePolicies().value?.find(({ name }) => name === policy)
  return found?.tiers.find(tier => tier.number === number)
}
