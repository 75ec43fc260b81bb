// Finds what takes part in a run although the trust level excludes it: an MCP server, a sub-agent, a plugin, a hook.
import type { AgentEvent } from './events.ts'

/** Expected names: those of the agent program itself, and those that the policy names. */
export type Known = {
  readonly servers: readonly string[]
  readonly agents: readonly string[]
}

export type Stranger = {
  readonly words: string
  /** Whether a policy can allow it; hooks and plugins have no names that a policy could list. */
  readonly canBeNamed: boolean
}

/** `null` when the event shows none. */
export function strangerIn(event: AgentEvent, known: Known): Stranger | null {
  if (event.type === 'hook') return { words: `a hook has run (${event.name})`, canBeNamed: false }
  if (event.type !== 'session') return null
  const server = event.servers?.find(name => !known.servers.includes(name))
  if (server !== undefined)
    return { words: `the MCP server ${server} takes part`, canBeNamed: true }
  const agent = event.agents?.find(name => !known.agents.includes(name))
  if (agent !== undefined) return { words: `the sub-agent ${agent} takes part`, canBeNamed: true }
  const [plugin] = event.plugins ?? []
  if (plugin === undefined) return null
  return { words: `the plugin ${plugin} takes part`, canBeNamed: false }
}
