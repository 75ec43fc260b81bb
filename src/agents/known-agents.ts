// The agents that Reprise knows, by the names of their adapters. `adapter:` in config.yaml takes these names.

import { ACP_PROGRAMS } from '../adapters/acp/programs.ts'
import type { Optional } from '../core/optional.ts'
import { RepriseError } from '../errors.ts'
import type { AgentConfig } from '../flows/dependencies.ts'
import { type AcpOptions, acpAgent, GENERIC } from './acp.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { pi } from './pi.ts'

type MakeAgent = (settings: AcpOptions) => AgentConfig

const native =
  (
    make: (settings: Optional<Omit<AgentConfig, 'adapter' | 'through'>>) => AgentConfig,
  ): MakeAgent =>
  ({ command, ...settings }) => {
    if (command === undefined) return make(settings)
    throw new RepriseError(
      'bad-config',
      `agent "${settings.name}": \`command\` is only for agents that speak ACP`,
      `Set agents.${settings.name}.executable in config.yaml, or adapter: acp.`,
    )
  }

/** Each of them can be found without a word of the user. */
export const FOUND_AGENTS: Readonly<Record<string, MakeAgent>> = {
  'claude-code': native(claudeCode),
  codex: native(codex),
  pi: native(pi),
  ...Object.fromEntries(
    ACP_PROGRAMS.map(program => [
      program.name,
      (settings: AcpOptions) => acpAgent(program, settings),
    ]),
  ),
}

export const KNOWN_AGENTS: Readonly<Record<string, MakeAgent>> = {
  ...FOUND_AGENTS,
  acp: settings => acpAgent(GENERIC, settings),
}
