// Whose settings may take part in a run: hooks, MCP servers, permissions, agents, skills and variables.

/**
 * `project`: as the agent program itself works, with the settings of the repository and of the user. `user`: the user's
 * settings, nothing of the repository. `none`: neither; only what Reprise itself passes.
 */
export type Trust = 'none' | 'user' | 'project'

/** From the least to the most. */
export const TRUSTS = ['none', 'user', 'project'] as const satisfies readonly Trust[]

/** The default of threads and jobs: people work in their own directories. */
export const DEFAULT_TRUST: Trust = 'project'

/** The default of chains: only the policy widens a tier. */
export const DEFAULT_CHAIN_TRUST: Trust = 'none'

export function trustWords(trust: Trust): string {
  switch (trust) {
    case 'project':
      return 'project: settings, hooks and servers of the repository and of the user take part'
    case 'user':
      return 'user: settings, hooks and servers of the user take part, none of the repository'
    case 'none':
      return 'none: no settings, hooks or servers of the repository or of the user take part'
  }
}
