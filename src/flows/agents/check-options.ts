// Checks model, mode and tools of a run before anything is stored: the adapter knows which ones it can pass on.
import type { RunSpec } from '../../adapters/adapter.ts'
import type { Agent } from '../dependencies.ts'

export type CommandOptions = Pick<
  RunSpec,
  | 'workDir'
  | 'model'
  | 'permissionMode'
  | 'allowedTools'
  | 'disallowedTools'
  | 'maxTurns'
  | 'trust'
  | 'isGuarded'
>

/** Throws `bad-input` when the adapter cannot make a command of them. */
export function refuseBadCommand(
  { adapter, runtime, fullEnv }: Agent,
  options: CommandOptions,
): void {
  adapter.open(
    {
      ...options,
      runId: 'run_check',
      continuation: { kind: 'new', sessionId: null },
      prompt: 'check',
      instructionsFile: null,
      asks: false,
      parkFiles: {},
      contextDir: null,
      env: fullEnv,
    },
    runtime,
  )
}
