// claudeCode(): Claude Code as an agent that createReprise() takes.
import { claudeCodeAdapter } from '../adapters/claude-code/index.ts'
import { type AgentSdk, executableOf } from '../agent-sdk/agent-sdk.ts'
import { throughSdk } from '../agent-sdk/sdk-runner.ts'
import { given, type Optional } from '../core/optional.ts'
import type { AgentConfig } from '../flows/dependencies.ts'

/** How Claude Code is found and started. */
export type ClaudeCodeOptions = Optional<
  Omit<AgentConfig, 'adapter' | 'through'> & {
    /** The Agent SDK. It talks to the program, which is the one of the SDK unless `executable` is set. */
    readonly sdk: AgentSdk
  }
>

/**
 * Gives Claude Code, or a program that speaks like it, as an agent.
 *
 * @example
 * ```ts
 * const agents = [
 *   claudeCode(), // `claude` on the PATH
 *   claudeCode({ name: 'reviewer', model: 'claude-opus-4-8', permissionMode: 'plan' }),
 * ]
 * ```
 */
export function claudeCode({ sdk, ...options }: ClaudeCodeOptions = {}): AgentConfig {
  const brought = sdk && options.executable === undefined ? executableOf(sdk) : null
  return {
    name: 'claude-code',
    executable: brought ?? claudeCodeAdapter.defaultExecutable,
    model: null,
    permissionMode: claudeCodeAdapter.words.defaultMode,
    env: {},
    passEnv: [],
    ...given(options),
    ...(sdk && { through: runner => throughSdk(runner, sdk) }),
    adapter: claudeCodeAdapter,
  }
}
