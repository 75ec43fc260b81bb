// The agents that the config names, each with its adapter. Their programs need not be on this machine.
import { KNOWN_AGENTS } from '../../agents/known-agents.ts'
import type { AgentProblem } from '../../config/check-config.ts'
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

/** The first setting that the adapter of an agent does not take; `null`: it takes all of them. */
export function problemOfAgent(settings: AgentSettings): AgentProblem | null {
  const { name, adapter } = settings
  const isKnown = Object.hasOwn(KNOWN_AGENTS, adapter)
  try {
    const { model, permissionMode, adapter: made } = agentOf(settings)
    const { permissionModes, takesModel } = made.words
    if (!permissionModes.includes(permissionMode)) {
      const message = `agent \`${name}\`: ${adapter} has no permission mode \`${permissionMode}\``
      return {
        setting: 'permissionMode',
        message,
        hint: `Use one of ${permissionModes.join(', ')}.`,
      }
    }
    if (model !== null && !takesModel(model)) {
      const message = `agent \`${name}\`: \`${model}\` cannot be a model of ${adapter}`
      return { setting: 'model', message, hint: 'Use a name that the agent itself offers.' }
    }
    return null
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    const { message, hint } = error
    return { setting: isKnown ? 'command' : 'adapter', message, hint }
  }
}
