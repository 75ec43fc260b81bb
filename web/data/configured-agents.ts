// The agents that a turn can use.
import type { AgentReport } from '../../src/api.ts'
import { reprise } from './client.ts'
import { useResource } from './resource.ts'

export function useConfiguredAgents(): readonly AgentReport[] {
  const agents = useResource('agents', () => reprise.agents()).value ?? []
  return agents.filter(({ configured }) => configured)
}
