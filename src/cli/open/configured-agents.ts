// The agents that the config names, each with its adapter. Their programs need not be on this machine.
import { KNOWN_AGENTS } from '../../agents/known-agents.ts'
import type { AgentSettings, Config } from '../../config/config.ts'
import type { ConfiguredAgents } from '../../core/chain/tier-problems.ts'
import { RepriseError } from '../../errors.ts'

export function configuredAgents({ agents, defaultAgent }: Config): ConfiguredAgents {
  return { configured: agents.map(agentOf), defaultAgent }
}

export function agentOf({ adapter, ...settings }: AgentSettings) {
  const make = Object.hasOwn(KNOWN_AGENTS, adapter) ? KNOWN_AGENTS[adapter] : undefined
  if (make) return make(settings)
  throw new RepriseError(
    'bad-config',
    `agent \`${settings.name}\`: there is no adapter \`${adapter}\``,
    `adapters: ${Object.keys(KNOWN_AGENTS).join(', ')}; set agents.${settings.name}.adapter in config.yaml`,
  )
}
