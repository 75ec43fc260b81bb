// The agents that Reprise knows, by the names of their adapters. `adapter:` in config.yaml takes these names.
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import type { Optional } from './core/optional.ts'
import type { AgentConfig } from './flows/dependencies.ts'

type MakeAgent = (settings: Optional<Omit<AgentConfig, 'adapter' | 'through'>>) => AgentConfig

export const KNOWN_AGENTS: Readonly<Record<string, MakeAgent>> = {
  'claude-code': claudeCode,
  codex,
}
