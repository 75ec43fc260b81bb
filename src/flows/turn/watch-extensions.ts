// Ends a run that trusts nobody's settings when an extension from such settings takes part anyway.

import type { Policy } from '../../core/chain/policy.ts'
import type { Run } from '../../core/run/run.ts'
import type { Stranger } from '../../core/run/unexpected-extensions.ts'
import { strangerIn } from '../../core/run/unexpected-extensions.ts'
import type { RunWatch, Stopped } from '../chains/watch-run.ts'
import type { Agent } from '../dependencies.ts'

/** `null` for a run that trusts somebody. */
export function watchExtensions(
  { trust }: Run,
  agent: Agent,
  policy: Policy | null,
): RunWatch | null {
  if (trust !== 'none') return null
  const known = {
    servers: [...(agent.mcpServers ?? []), ...(policy?.mcpServers ?? [])],
    agents: [
      ...agent.adapter.builtInAgents,
      ...(agent.subagents ?? []),
      ...(policy?.subagents ?? []),
    ],
  }
  let stopped: Stopped | null = null
  return {
    get stopped() {
      return stopped
    },
    see(event) {
      const stranger = strangerIn(event, known)
      if (stranger !== null) stopped ??= takesPart(stranger)
      return { notice: null }
    },
  }
}

function takesPart({ words, canBeNamed }: Stranger): Stopped {
  const remedy = canBeNamed
    ? 'name it under `mcpServers` or `subagents` of the agent in config.yaml, or of the policy'
    : 'say `trust: user` in the policy, or --trust user: then nobody looks for hooks and plugins'
  return {
    class: 'policy-violation',
    message: `${words}, although the run trusts no settings of the repository or of the user`,
    hint: `Look where it comes from (managed settings, a newer version of the agent). If it may take part, ${remedy}.`,
  }
}
