// What a run may be asked to use, checked before anything is stored: the adapter knows which models, modes and tools it can pass on.
import type { RunSpec } from '../../adapters/adapter.ts'
import type { Agent } from '../dependencies.ts'

export type CommandOptions = Pick<
  RunSpec,
  'workDir' | 'model' | 'permissionMode' | 'allowedTools' | 'disallowedTools' | 'maxTurns' | 'trust'
>

/** Throws `bad-input` when no command can be made of them. */
export function refuseBadCommand(
  { adapter, runtime, fullEnv }: Agent,
  options: CommandOptions,
): void {
  adapter.command(
    {
      ...options,
      runId: 'run_check',
      continuation: { kind: 'new', sessionId: null },
      prompt: 'check',
      instructionsFile: null,
      questionsFile: null,
      contextDir: null,
      env: fullEnv,
    },
    runtime,
  )
}
