// pi(): pi as an agent that createReprise() takes.
import { piAdapter } from '../adapters/pi/index.ts'
import { given, type Optional } from '../core/optional.ts'
import type { AgentConfig } from '../flows/dependencies.ts'

/** How pi is found and started. */
export type PiOptions = Optional<Omit<AgentConfig, 'adapter' | 'through'>>

/**
 * Gives pi as an agent. Its permission modes are the tools that it is offered: `read-only` and `all-tools`.
 *
 * @example
 * ```ts
 * const agents = [claudeCode(), pi({ permissionMode: 'all-tools' })]
 * ```
 */
export function pi(options: PiOptions = {}): AgentConfig {
  return {
    name: piAdapter.name,
    executable: piAdapter.defaultExecutable,
    model: null,
    permissionMode: piAdapter.words.defaultMode,
    env: {},
    passEnv: [],
    ...given(options),
    adapter: piAdapter,
  }
}
