// The environment of an agent: the user's own where the work is trusted, an allow-list everywhere else.
import type { Policy } from '../../core/chain/policy.ts'
import type { Trust } from '../../core/run/trust.ts'
import type { AgentConfig } from '../dependencies.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Our own variables, tokens included: no agent gets them from our environment, whatever a config says. */
const OURS = ['REPRISE_*']

/** These would change how the agent program is loaded or which repository its git works on, although nobody asked for that. */
const WITHHELD = [
  ...['LD_*', 'DYLD_*', 'GCONV_PATH', 'NODE_OPTIONS', 'NODE_CHANNEL_FD', 'NODE_UNIQUE_ID'],
  ...['BUN_OPTIONS', 'BUN_INSPECT*', 'BASH_ENV', 'ENV'],
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_OBJECT_DIRECTORY'],
]

/** The variables that every agent gets: enough to find and probe it, and for it to find its own sessions. */
export function agentEnvironment(
  config: AgentConfig,
  ours: Variables,
  alsoPassed: readonly string[] = [],
): Record<string, string> {
  const allowed = [...config.adapter.passEnv, ...config.passEnv, ...alsoPassed]
  return environmentOf(config, ours, name => fits(name, allowed))
}

/** The variables that a run's agent gets. A chain uses the allow-list whatever its policy trusts; the policy may extend it. */
export function runEnvironment(
  config: AgentConfig,
  ours: Variables,
  { trust, policy }: { readonly trust: Trust; readonly policy: Policy | null },
): Record<string, string> {
  if (policy || trust === 'none') {
    return { ...agentEnvironment(config, ours, policy?.passEnv), ...config.adapter.confinedEnv }
  }
  const allowed = [...config.adapter.passEnv, ...config.passEnv]
  const withheld = [...WITHHELD, ...config.adapter.withheldEnv]
  return environmentOf(config, ours, name => fits(name, allowed) || !fits(name, withheld))
}

/** Names of the variables that trusted work gets, that chains and untrusted work get, and that nobody gets. */
export function passedNames(config: AgentConfig, ours: Variables) {
  const names = (environment: Record<string, string>) => Object.keys(environment).toSorted()
  const trusted = names(runEnvironment(config, ours, { trust: 'project', policy: null }))
  const untrusted = names(runEnvironment(config, ours, { trust: 'none', policy: null }))
  const withheld = Object.keys(ours).filter(
    name => ours[name] !== undefined && !trusted.includes(name),
  )
  return { trusted, untrusted, withheld: withheld.toSorted() }
}

function environmentOf(
  config: AgentConfig,
  ours: Variables,
  isPassed: (name: string) => boolean,
): Record<string, string> {
  const passed = Object.entries(ours).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !fits(entry[0], OURS) && isPassed(entry[0]),
  )
  return { ...config.adapter.setEnv, ...Object.fromEntries(passed), ...config.env }
}

function fits(name: string, patterns: readonly string[]): boolean {
  return patterns.some(pattern =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  )
}
