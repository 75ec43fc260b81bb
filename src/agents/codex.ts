// codex(): codex as an agent that createReprise() takes.
import { codexAdapter } from '../adapters/codex/index.ts'
import { given, type Optional } from '../core/optional.ts'
import type { AgentConfig } from '../flows/dependencies.ts'

/** How codex is found and started. */
export type CodexOptions = Optional<Omit<AgentConfig, 'adapter' | 'through'>>

/**
 * Gives codex as an agent. Its permission modes are those of its own sandbox: `read-only`, `workspace-write` and
 * `danger-full-access`.
 *
 * @example
 * ```ts
 * const agents = [claudeCode(), codex({ permissionMode: 'workspace-write' })]
 * ```
 */
export function codex(options: CodexOptions = {}): AgentConfig {
  return {
    name: codexAdapter.name,
    executable: codexAdapter.defaultExecutable,
    model: null,
    permissionMode: codexAdapter.words.defaultMode,
    env: {},
    passEnv: [],
    ...given(options),
    adapter: codexAdapter,
  }
}
