// The environment of an agent: an allow-list, so that nothing of ours leaks and nothing inherited changes how it works.
import type { AgentConfig } from './parts.ts'

type Variables = Readonly<Record<string, string | undefined>>

export function agentEnvironment(config: AgentConfig, ours: Variables): Record<string, string> {
  const allowed = [...config.adapter.passEnv, ...config.passEnv]
  const passed = Object.entries(ours).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && allowed.some(pattern => matches(pattern, entry[0])),
  )
  return { ...config.adapter.setEnv, ...Object.fromEntries(passed), ...config.env }
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
