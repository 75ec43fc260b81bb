// The policies that chains can be started with, read once for all who show what a tier may do and cost.
import type { PolicyReport } from '../../src/core/chain/policy-report.ts'
import { reprise } from './client.ts'
import { type Resource, useResource } from './resource.ts'

export function usePolicies(): Resource<readonly PolicyReport[]> {
  return useResource('policies', () => reprise.policies())
}
