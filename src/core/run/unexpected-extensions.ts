// What takes part in a run although nobody's settings may: an MCP server, a sub-agent, a plugin, a hook.
import type { AgentEvent } from './events.ts'

/** Names that are no strangers: what the agent program itself has, and what the policy names. */
export type Known = {
  readonly servers: readonly string[]
  readonly agents: readonly string[]
}

/** In words; `null` when the event shows none. */
export function strangerIn(event: AgentEvent, known: Known): string | null {
  if (event.type === 'hook') return `a hook has run (${event.name})`
  if (event.type !== 'session') return null
  const server = event.servers?.find(name => !known.servers.includes(name))
  if (server !== undefined) return `the MCP server ${server} takes part`
  const agent = event.agents?.find(name => !known.agents.includes(name))
  if (agent !== undefined) return `the sub-agent ${agent} takes part`
  const [plugin] = event.plugins ?? []
  return plugin === undefined ? null : `the plugin ${plugin} takes part`
}
