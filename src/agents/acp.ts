// acp(): any program that speaks the Agent Client Protocol as an agent that createReprise() takes.
import { type AcpProgram, acpAdapter } from '../adapters/acp/index.ts'
import { ACP_PROGRAMS } from '../adapters/acp/programs.ts'
import { given, type Optional } from '../core/optional.ts'
import { RepriseError } from '../errors.ts'
import type { AgentConfig } from '../flows/dependencies.ts'

/** How a program that speaks ACP is found and started. */
export type AcpOptions = Optional<
  Omit<AgentConfig, 'adapter' | 'through'> & {
    /** The program and the arguments with which it speaks ACP, such as `['opencode', 'acp']`. */
    readonly command: readonly string[]
  }
>

/**
 * Gives a program that speaks ACP as an agent. Reprise knows the commands of several programs by the name of the agent: `opencode`,
 * `gemini`, `qwen`, `copilot`, `kimi`, `codex-acp`, `claude-agent-acp` and `pi-acp`.
 *
 * @example
 * ```ts
 * const agents = [
 *   acp({ name: 'opencode' }),
 *   acp({ name: 'mine', command: ['my-agent', '--acp'], permissionMode: 'allow-edits' }),
 * ]
 * ```
 */
export function acp(options: AcpOptions & { readonly name: string }): AgentConfig {
  const known = ACP_PROGRAMS.find(({ name }) => name === options.name)
  return acpAgent(known ?? GENERIC, options)
}

/** The command of a known program may be another one, which starts it in another way. */
export function acpAgent(program: AcpProgram, { command, ...options }: AcpOptions): AgentConfig {
  const [executable, ...args] = command ?? [program.executable, ...program.args]
  if (executable === undefined || executable === '') throw withoutCommand(options.name)
  const adapter = acpAdapter({ ...program, executable, args })
  return {
    name: adapter.name,
    executable,
    model: null,
    permissionMode: adapter.words.defaultMode,
    env: {},
    passEnv: [],
    ...given(options),
    adapter,
  }
}

export const GENERIC: AcpProgram = {
  name: 'acp',
  executable: '',
  args: [],
  install: 'as its own documentation says',
  tier: { problem: 'nobody has shown before which calls it asks' },
}

function withoutCommand(name = 'acp'): RepriseError {
  return new RepriseError(
    'bad-config',
    `agent "${name}": nobody said which program speaks ACP`,
    `Set agents.${name}.command in config.yaml, such as [my-agent, --acp], or \`command\` of acp().`,
  )
}
